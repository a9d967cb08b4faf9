// Diagrams of vectors as teachers draw them: parallel to the drawing, from one pole or tip to tail, with their scale.

import { Vector3 } from "three";
import { element, number } from "./elements";
import { Sketch, Spot, niceAbove } from "./sketch";
import type { Stage } from "./stage";

const TALL = 220; // pixels
const MARGIN = 26;
const BAR = 50; // pixels of the scale

interface Edge {
  from: Vector3;
  to: Vector3;
  color: string;
  arrow?: boolean;
  dashed?: boolean;
  text?: string; // at the end
}

export class Polygon {
  readonly box = element("figure", { class: "polygon" });
  private readonly sketch = new Sketch();
  private readonly caption = element("figcaption");

  constructor(private readonly title: string, private readonly unit: string, private readonly stage: Stage) {
    this.sketch.picture.setAttribute("role", "img");
    this.box.append(this.caption, this.sketch.picture);
  }

  /** Draw edges as the camera sees them, at one of the scales 1, 2, 5, ... so that it jumps seldom. */
  draw(edges: Edge[], pole: string, remark: string): void {
    const { camera } = this.stage, wide = Math.max(this.box.clientWidth, 100);
    const [right, up] = [0, 1].map((k) => new Vector3().setFromMatrixColumn(camera.matrixWorld, k));
    const flat = (v: Vector3): Spot => [v.dot(right), -v.dot(up)];
    const points = [[0, 0] as Spot, ...edges.flatMap(({ from, to }) => [flat(from), flat(to)])];
    const [low, high] = [Math.min, Math.max].map((f) => [0, 1].map((k) => f(...points.map((p) => p[k]))));
    const size = Math.max((high[0] - low[0]) / (wide - 2 * MARGIN - 30), (high[1] - low[1]) / (TALL - 2 * MARGIN - 14));
    this.sketch.picture.setAttribute("viewBox", `0 0 ${wide} ${TALL}`);
    this.caption.textContent = `${this.title}${remark ? `, ${remark}` : ""}`;
    this.sketch.picture.setAttribute("aria-label", `${this.caption.textContent}: ${edges.filter((e) => e.arrow).map((e) => `${e.text} ${number(e.to.distanceTo(e.from), 3)} ${this.unit}`).join(", ")}`);
    if (!(size > 0) || !Number.isFinite(size)) return this.sketch.show();
    const step = niceAbove(size), [scale, bar] = [1 / step, BAR * step];
    const at = (v: Vector3): Spot => {
      const [x, y] = flat(v);
      return [wide / 2 + scale * (x - 0.5 * (low[0] + high[0])), (TALL - 14) / 2 + scale * (y - 0.5 * (low[1] + high[1]))];
    };
    for (const { from, to, color, arrow, dashed, text } of edges) {
      const attributes = { "stroke-dasharray": dashed ? "4 3" : "" };
      if (arrow) this.sketch.arrow(at(from), at(to), color, attributes);
      else this.sketch.line(at(from), at(to), color, attributes);
      if (text) this.sketch.text(at(to), text, "currentColor");
    }
    if (pole) {
      this.sketch.dot(at(new Vector3()), "currentColor", 3);
      this.sketch.text(at(new Vector3()), pole, "currentColor");
    }
    this.sketch.line([10, TALL - 8], [10 + BAR, TALL - 8], "currentColor", { "stroke-width": 3 });
    this.sketch.text([10 + BAR, TALL - 2], `${number(bar, 3)} ${this.unit}`, "currentColor");
    this.sketch.show();
  }

  /** Say why there is nothing to draw. */
  explain(reason: string): void {
    this.caption.textContent = `${this.title}: ${reason}`;
    this.sketch.show();
  }
}

export type { Edge };
