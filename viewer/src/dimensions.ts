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
    const { name, unit } = this.play.data.parameters![i];
    if (value < 0 && unit.startsWith("kg")) return this.refuse(`Parameter ${name} cannot be below zero.`);
    this.set(Array.from(this.play.engine.parameters, (x, k) => (k === i ? value : x)));
  }

  private refuse(why: string): void {
    this.read();
    this.play.say(why, true);
  }

  private set(values: number[]): void {
    this.play.setParameters(values);
  }

  /** Designs of a study to choose from; what they do not name is as in the file. */
  choice(designs: { name: string; values: Record<string, number> }[]): HTMLElement {
    const all = this.play.data.parameters ?? [];
    const rows = designs.map((of) => all.map((each) => of.values[each.name] ?? each.value));
    const select = element("select", { id: "design", "aria-label": "Design" }, ...designs.map((of, i) => element("option", { value: String(i) }, of.name)));
    const own = element("option", { value: "", disabled: "", hidden: "" }, "as the sliders say");
    select.append(own);
    select.addEventListener("change", () => this.set(rows[Number(select.value)]));
    this.play.parts.push({
      read: () => {
        const now = this.play.engine.parameters;
        const alike = rows.findIndex((row) => row.every((x, k) => Math.abs(x - now[k]) <= 1e-12 * Math.abs(x)));
        if (document.activeElement !== select || alike < 0) select.value = alike < 0 ? "" : String(alike);
      },
    });
    return element("div", { class: "designs" }, select);
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
