// Over the drawing: the axes of the world with their letters, a scale bar, and the spacing of the grid.

import { Vector3 } from "three";
import { element, number } from "./elements";
import { niceLength } from "./lines";
import { svg } from "./saving";
import { Stage } from "./stage";

const AXES: [string, string][] = [["x", "#cc3311"], ["y", "#009988"], ["z", "#0077bb"]];
const ARM = 24; // pixels
const WIDEST = 110; // pixels of the scale bar

export class Overlay {
  readonly box = element("div", { class: "overlay", id: "overlay" });
  private readonly arms: { line: SVGElement; letter: SVGElement; axis: Vector3 }[] = [];
  private readonly picture = svg("svg", { viewBox: "-36 -36 72 72", width: "72", height: "72", role: "img", "aria-label": "Axes of the world" });
  private readonly bar = element("div", { class: "scale-bar" });
  private readonly length = element("span", { id: "scale" });
  private readonly spacing = element("span", { id: "spacing" });

  constructor(private readonly stage: Stage, cell: number) {
    AXES.forEach(([name, color], i) => {
      const line = svg("line", { x1: "0", y1: "0", stroke: color, "stroke-width": "2.5" });
      const letter = svg("text", { fill: color, "text-anchor": "middle", "dominant-baseline": "central" });
      letter.textContent = name;
      this.picture.append(line, letter);
      this.arms.push({ line, letter, axis: new Vector3().setComponent(i, 1) });
    });
    this.spacing.textContent = `grid ${length(cell)}`;
    this.box.append(this.picture, element("div", {}, element("div", { class: "scale" }, this.bar, this.length), this.spacing));
    stage.host.append(this.box);
  }

  /** Turn the axes and measure the bar for the present view. */
  show(): void {
    const { camera, host } = this.stage;
    camera.updateMatrixWorld();
    const across = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const towards = new Vector3().setFromMatrixColumn(camera.matrixWorld, 2);
    for (const { line, letter, axis } of [...this.arms].sort((a, b) => a.axis.dot(towards) - b.axis.dot(towards))) {
      const [x, y] = [ARM * axis.dot(across), -ARM * axis.dot(up)];
      set(line, { x2: x.toFixed(1), y2: y.toFixed(1) });
      const far = Math.hypot(x, y) > 4 ? 1 + 8 / Math.hypot(x, y) : 0;
      set(letter, { x: (far ? far * x : 9).toFixed(1), y: (far ? far * y : 9).toFixed(1) });
      this.picture.append(line, letter);
    }
    const pixel = this.stage.tall() / Math.max(host.clientHeight, 1);
    let size = niceLength(WIDEST * pixel);
    if (size > WIDEST * pixel) size = niceLength(0.45 * size);
    this.bar.style.width = `${Math.min(size / pixel, 1.3 * WIDEST).toFixed(0)}px`;
    this.length.textContent = length(size);
  }
}

/** A length in the unit that people would use for it. */
export function length(x: number): string {
  if (x < 0.9995e-9) return "0 mm";
  return x < 0.9995e-3 ? `${number(1e6 * x, 3)} \u00B5m` : x < 0.0999 ? `${number(1000 * x, 3)} mm` : `${number(x, 3)} m`;
}

function set(made: SVGElement, attributes: Record<string, string>): void {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
}
