// Enlargement of the bending of flexible links, and its true size.

import { Beams } from "./beams";
import { element } from "./elements";
import { length } from "./overlay";

const TIMES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** A choice of the enlargement and the true deflection in numbers. */
export class Bending {
  readonly panel = element("div", { class: "bending", role: "group", "aria-label": "Bending of flexible links" });
  private readonly read = element("output", { id: "deflection", "aria-label": "Largest deflection" });

  constructor(private readonly beams: Beams, changed: () => void) {
    const select = element("select", { id: "bending", "aria-label": "Bending drawn how many times larger" });
    for (const times of TIMES) select.append(element("option", { value: String(times) }, `${times}\u00D7`));
    select.addEventListener("change", () => {
      beams.times = Number(select.value);
      changed();
    });
    this.panel.append(element("label", {}, "bending drawn ", select), this.read);
    this.panel.hidden = beams.count === 0;
  }

  show(): void {
    if (this.panel.hidden) return;
    const { name, size } = this.beams.largest();
    this.read.textContent = `at most ${length(size)} (${name})`;
  }
}
