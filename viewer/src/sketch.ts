// Lines, arrows and letters in SVG: over the drawing, and in diagrams beside it.

import { Vector3 } from "three";
import { SVG, svg } from "./saving";
import type { Stage } from "./stage";

const HEAD = 9; // pixels
const LETTER = 12; // pixels from a point to its letter

export type Spot = [number, number];

export class Sketch {
  readonly picture = svg("svg", { class: "sketch" });
  private used = new Set<string>(); // spots with a text
  private parts: SVGElement[] = [];

  line(a: Spot, b: Spot, color: string, attributes: Record<string, string | number> = {}): void {
    if (![...a, ...b].every(Number.isFinite)) return;
    const [x1, y1, x2, y2] = [...a, ...b].map((x) => x.toFixed(1));
    this.parts.push(svg("line", { x1, y1, x2, y2, stroke: color, "stroke-width": 1.5, ...attributes }));
  }

  arrow(a: Spot, b: Spot, color: string, attributes: Record<string, string | number> = {}): void {
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]], long = Math.hypot(dx, dy);
    if (!(long > 1)) return;
    const size = Math.min(HEAD, 0.6 * long), [ux, uy] = [(size * dx) / long, (size * dy) / long];
    this.line(a, [b[0] - 0.7 * ux, b[1] - 0.7 * uy], color, { "stroke-width": 2, ...attributes });
    const corners = [b, [b[0] - ux - 0.4 * uy, b[1] - uy + 0.4 * ux], [b[0] - ux + 0.4 * uy, b[1] - uy - 0.4 * ux]] as Spot[];
    this.parts.push(svg("polygon", { points: corners.map((p) => p.map((x) => x.toFixed(1)).join(",")).join(" "), fill: color }));
  }

  dot([cx, cy]: Spot, color: string, r = 4): void {
    this.parts.push(svg("circle", { cx: cx.toFixed(1), cy: cy.toFixed(1), r, fill: color }));
  }

  /** A text beside a point; those of one point stand below each other. */
  text([x, y]: Spot, text: string, color: string): void {
    let down = 0;
    const key = (): string => `${Math.round(x / 16)} ${Math.round((y + down) / 14)}`;
    while (this.used.has(key())) down += 14;
    this.used.add(key());
    const made = svg("text", { x: (x + LETTER * 0.6).toFixed(1), y: (y - LETTER * 0.5 + down).toFixed(1), fill: color });
    made.textContent = text;
    this.parts.push(made);
  }

  /** Put what is shown onto a picture of the same view. */
  async paintOn(canvas: HTMLCanvasElement): Promise<void> {
    const { width, height } = canvas, copy = this.picture.cloneNode(true) as SVGSVGElement, look = getComputedStyle(this.picture);
    const drawn = { xmlns: SVG, width, height, color: look.color, "font-family": "serif", "font-style": "italic", "font-weight": 600, "font-size": 13 };
    for (const [name, value] of Object.entries(drawn)) copy.setAttribute(name, String(value));
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
    await image.decode();
    canvas.getContext("2d")!.drawImage(image, 0, 0);
  }

  /** Show what was drawn since the last time. */
  show(): void {
    this.picture.replaceChildren(...this.parts);
    this.parts = [];
    this.used.clear();
  }
}

/** A point of the world on the screen. */
export function onScreen(point: Vector3, { camera, host }: Stage): Spot {
  const p = point.clone().project(camera);
  return [((p.x + 1) / 2) * host.clientWidth, ((1 - p.y) / 2) * host.clientHeight];
}

/** The smallest of 1, 2, 5 times a power of ten that is not below a number. */
export function niceAbove(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x)), lead = x / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}
