// Sliders of the parameters of the mechanism's file: lengths, masses and angles change while the loops stay closed.

import { breakable, button, element, write } from "./elements";
import type { Play } from "./play";

export class Dimensions {
  readonly box = element("div", { class: "sliders", role: "group", "aria-label": "Parameters", id: "parameters" });
  readonly nominal: HTMLButtonElement;
  private readonly rows: { range: HTMLInputElement; entry: HTMLInputElement; unit: HTMLElement }[];

  constructor(private readonly play: Play) {
    const all = play.data.parameters ?? [];
    this.rows = all.map((of, i) => {
      const title = of.unit ? `${of.name} in ${of.unit}` : of.name;
      const range = element("input", { type: "range", min: String(of.low), max: String(of.high), step: "any", "data-live": "true", "aria-label": title });
      const entry = play.units.field(of.unit, title, (x) => this.change(i, x));
      range.addEventListener("input", () => this.change(i, Number(range.value)));
      const unit = element("span", { class: "unit" });
      this.box.append(element("div", { class: "slider" }, element("span", { title: of.name }, breakable(of.name)), range, entry, unit));
      return { range, entry, unit };
    });
    this.nominal = button("File\u2019s values", "Back to the parameters of the file", () => this.set(all.map((of) => of.value)));
    this.nominal.id = "nominal";
    play.parts.push(this);
  }

  private change(i: number, value: number): void {
    if (!Number.isFinite(value)) return this.read();
    this.set(Array.from(this.play.engine.parameters, (x, k) => (k === i ? value : x)));
  }

  private set(values: number[]): void {
    this.play.setParameters(values);
  }

  read(): void {
    const { engine, units, data } = this.play;
    this.rows.forEach(({ range, entry, unit }, i) => {
      const of = data.parameters![i], x = engine.parameters[i];
      if (document.activeElement !== range) range.value = String(x);
      range.setAttribute("aria-valuetext", units.text(x, of.unit));
      units.fill(entry, x, of.unit);
      write(unit, units.name(of.unit));
    });
    this.nominal.disabled = data.parameters!.every((of, i) => of.value === engine.parameters[i]);
  }
}
