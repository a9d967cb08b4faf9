// Charts with colors: a quantity over a plane, and a surface in space that can be turned.

import { Box, EVERYTHING, Range, caption, drawnAxes, equalized, extended, spread } from "./axes";
import { Colored, MapData, SurfaceData, splitLabel } from "./chart_data";
import { unpacked, wholeNumbers } from "./data";
import { button, element, number } from "./elements";
import { Row } from "./sampling";
import { offered, standalone, svg } from "./saving";

const DIGITS = 4;
const STOPS = ["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"]; // viridis
const COLORS = STOPS.map((stop) => [0, 2, 4].map((i) => parseInt(stop.slice(i, i + 2), 16)));
const DOT = 2.5; // radius of a point, in pixels

/** What the corners of triangles look like: pixels and depth, three numbers each, and values. */
interface Corners {
  points: Float32Array;
  values: Row | null;
  faces: Uint16Array | Uint32Array;
}

/** Values, and how much light there is, by pixel; not a number where nothing is. */
interface Raster {
  value: Float32Array;
  light: Float32Array;
}

/** The nearest of the triangles at each pixel. */
function rasterized({ points, values, faces }: Corners, wide: number, high: number, lit: boolean): Raster {
  const [value, light, depth] = [0, 0, 0].map(() => new Float32Array(wide * high).fill(NaN));
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
    const [ax, ay, bx, by, cx, cy] = [points[a], points[a + 1], points[b], points[b + 1], points[c], points[c + 1]];
    const twice = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    if (!twice) continue;
    const bright = lit ? brightness(points, a, b, c, twice) : 1;
    const [x0, x1] = [Math.max(0, Math.floor(Math.min(ax, bx, cx))), Math.min(wide - 1, Math.ceil(Math.max(ax, bx, cx)))];
    const [y0, y1] = [Math.max(0, Math.floor(Math.min(ay, by, cy))), Math.min(high - 1, Math.ceil(Math.max(ay, by, cy)))];
    for (let y = y0; y <= y1; y++)
      for (let x = x0; x <= x1; x++) {
        const v = ((bx - x) * (cy - y) - (cx - x) * (by - y)) / twice;
        const w = ((cx - x) * (ay - y) - (ax - x) * (cy - y)) / twice;
        if (v < -1e-6 || w < -1e-6 || v + w > 1 + 1e-6) continue;
        const [at, z] = [y * wide + x, v * points[a + 2] + w * points[b + 2] + (1 - v - w) * points[c + 2]];
        if (depth[at] >= z) continue;
        depth[at] = z;
        light[at] = bright;
        value[at] = values ? v * values[a / 3] + w * values[b / 3] + (1 - v - w) * values[c / 3] : 0;
      }
  }
  return { value, light };
}

/** Light from where the reader is. */
function brightness(p: Float32Array, a: number, b: number, c: number, twice: number): number {
  const [ux, uy, uz, vx, vy, vz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2], p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  return 0.55 + (0.45 * Math.abs(twice)) / Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, twice);
}

/** The cell of a grid at each pixel. */
function cells(x: Row, y: Row, values: Row, toX: (px: number) => number, toY: (py: number) => number, wide: number, high: number): Raster {
  const across = Array.from({ length: wide }, (_, px) => nearest(x, toX(px)));
  const up = Array.from({ length: high }, (_, py) => nearest(y, toY(py)));
  const value = Float32Array.from({ length: wide * high }, (_, at) => {
    const [i, j] = [across[at % wide], up[Math.floor(at / wide)]];
    return i < 0 || j < 0 ? NaN : values[i * y.length + j];
  });
  return { value, light: new Float32Array(wide * high).fill(1) };
}

/** The nearest of some even rows, -1 beyond half a step from their ends. */
function nearest(rows: Row, at: number): number {
  const step = rows.length > 1 ? (rows[rows.length - 1] - rows[0]) / (rows.length - 1) : 1;
  const i = Math.round((at - rows[0]) / step);
  return i >= 0 && i < rows.length ? i : -1;
}

/** Points as disks. */
function disks(points: Float32Array, values: Row, wide: number, high: number, radius: number): Raster {
  const value = new Float32Array(wide * high).fill(NaN);
  for (let k = 0; k < values.length; k++) {
    const [cx, cy] = [points[3 * k], points[3 * k + 1]];
    for (let y = Math.max(0, Math.ceil(cy - radius)); y <= Math.min(high - 1, cy + radius); y++)
      for (let x = Math.max(0, Math.ceil(cx - radius)); x <= Math.min(wide - 1, cx + radius); x++)
        if (Math.hypot(x - cx, y - cy) <= radius) value[y * wide + x] = values[k];
  }
  return { value, light: new Float32Array(wide * high).fill(1) };
}

/** What maps and surfaces have in common: canvas, axes, scale of colors, a line of numbers. */
abstract class ColoredChart {
  readonly box = element("figure", { class: "plot" });
  protected readonly picture = svg("svg", { class: "chart", role: "img" });
  protected readonly grid = svg("g", { class: "grid" });
  protected readonly canvas = element("canvas", { class: "chart-canvas", tabindex: "0" });
  protected readonly reading = element("output", { class: "reading" });
  protected readonly values: Row | null;
  protected place: Box = { left: 58, top: 22, wide: 50, high: 300 };
  protected shown: Raster = { value: new Float32Array(), light: new Float32Array() };
  protected readonly ratio = Math.min(window.devicePixelRatio || 1, 2);

  constructor(protected readonly data: Colored, title: string) {
    this.values = data.values ? unpacked(data.values) : null;
    this.box.setAttribute("aria-label", title);
    this.picture.setAttribute("aria-label", title);
    this.canvas.setAttribute("aria-label", title);
    this.canvas.setAttribute("role", "img");
    this.picture.append(this.grid);
    const tools = element("span", { class: "plot-tools" }, button("SVG", `Save the picture of ${title}`, () => this.save(title)));
    this.box.append(element("figcaption", {}, element("span", {}, title), tools), element("div", { class: "chart-frame" }, this.picture, this.canvas), ...this.scale(), this.reading);
  }

  abstract resize(width: number): void;

  /** The bar of colors with its ends. */
  private scale(): HTMLElement[] {
    const { ends, quantity, remark, log } = this.data;
    if (!this.values || !ends) return [];
    const bar = element("span", { class: `color-bar${remark ? " open" : ""}` });
    const text = [quantity, log ? "(logarithmic)" : "", remark ?? ""].filter(Boolean).join(" ");
    return [element("div", { class: "color-scale" }, element("span", {}, number(ends[0], DIGITS)), bar, element("span", {}, number(ends[1], DIGITS)), element("span", { class: "quantity" }, text))];
  }

  protected lay(width: number, high: number): void {
    Object.assign(this.place, { wide: Math.max(width - this.place.left - 12, 50), high });
    const { left, top, wide } = this.place;
    this.picture.setAttribute("width", String(width));
    this.picture.setAttribute("height", String(top + high + 38));
    this.picture.setAttribute("viewBox", `0 0 ${width} ${top + high + 38}`);
    Object.assign(this.canvas, { width: Math.round(wide * this.ratio), height: Math.round(high * this.ratio) });
    Object.assign(this.canvas.style, { left: `${left}px`, top: `${top}px`, width: `${wide}px`, height: `${high}px` });
  }

  protected paint(): void {
    const { width, height } = this.canvas;
    const image = new ImageData(width, height);
    const { value, light } = this.shown;
    const [low, high] = this.data.ends ?? [0, 0];
    const scaled = (x: number): number => (this.data.log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));
    for (let at = 0; at < value.length; at++) {
      if (Number.isNaN(value[at])) continue;
      const share = this.values && high > low ? Math.min(Math.max(scaled(value[at]), 0), 1) * (COLORS.length - 1) : 4;
      const i = Math.min(Math.floor(share), COLORS.length - 2);
      for (let k = 0; k < 3; k++) image.data[4 * at + k] = light[at] * (COLORS[i][k] + (share - i) * (COLORS[i + 1][k] - COLORS[i][k]));
      image.data[4 * at + 3] = 255;
    }
    this.canvas.getContext("2d")!.putImageData(image, 0, 0);
  }

  private save(title: string): void {
    const { left, top, wide, high } = this.place;
    const image = svg("image", { x: left, y: top, width: wide, height: high, href: this.canvas.toDataURL() });
    this.picture.append(image);
    offered(`${title}.svg`, new Blob([standalone(this.picture, title, [])], { type: "image/svg+xml" }));
    image.remove();
  }
}

export class MapChart extends ColoredChart {
  private readonly points: Float32Array | Float64Array | null;
  private readonly faces: Uint16Array | Uint32Array | null;
  private readonly rows: [Row, Row];
  private x: Range = [0, 1];
  private y: Range = [0, 1];

  constructor(private readonly map: MapData) {
    super(map, map.title || splitLabel(map.quantity)[0]);
    this.points = map.points ? unpacked(map.points) : null;
    this.faces = map.faces ? wholeNumbers(map.faces) : null;
    const { points } = this;
    const column = (k: number): Row => points!.filter((_, i) => i % 2 === k);
    this.rows = points ? [column(0), column(1)] : [unpacked(map.x!), unpacked(map.y!)];
    this.canvas.addEventListener("pointermove", (event) => this.read(event));
    this.canvas.addEventListener("pointerleave", () => (this.reading.textContent = ""));
  }

  resize(width: number): void {
    [this.x, this.y] = this.rows.map((row) => spread(extended(EVERYTHING, row), true)) as [Range, Range];
    const wide = width - this.place.left - 12;
    const tall = (wide * (this.y[1] - this.y[0])) / (this.x[1] - this.x[0]);
    this.lay(width, this.map.equal ? Math.min(Math.max(tall, 120), 420) : 240);
    if (this.map.equal) [this.x, this.y] = equalized(this.x, this.y, this.place);
    this.grid.replaceChildren(...drawnAxes({ range: this.x, label: this.map.below }, { range: this.y, label: this.map.beside }, this.place));
    const { width: across, height: high } = this.canvas;
    if (this.points) {
      const pixels = new Float32Array(1.5 * this.points.length);
      for (let k = 0; 2 * k < this.points.length; k++) {
        pixels[3 * k] = ((this.points[2 * k] - this.x[0]) / (this.x[1] - this.x[0])) * across;
        pixels[3 * k + 1] = (1 - (this.points[2 * k + 1] - this.y[0]) / (this.y[1] - this.y[0])) * high;
      }
      this.shown = this.faces ? rasterized({ points: pixels, values: this.values, faces: this.faces }, across, high, false) : disks(pixels, this.values!, across, high, DOT * this.ratio);
    } else this.shown = cells(...this.rows, this.values!, (px) => this.x[0] + ((px + 0.5) / across) * (this.x[1] - this.x[0]), (py) => this.y[1] - ((py + 0.5) / high) * (this.y[1] - this.y[0]), across, high);
    this.paint();
  }

  private read(event: PointerEvent): void {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const [across, down] = [(event.clientX - left) / width, (event.clientY - top) / height];
    const at = Math.floor(down * this.canvas.height) * this.canvas.width + Math.floor(across * this.canvas.width);
    const value = this.shown.value[at];
    const named = (label: string, x: number): string => {
      const [name, unit] = splitLabel(label);
      return `${name} = ${number(x, DIGITS)}${unit ? ` ${unit}` : ""}`;
    };
    const places = [named(this.map.below, this.x[0] + across * (this.x[1] - this.x[0])), named(this.map.beside, this.y[1] - down * (this.y[1] - this.y[0]))];
    this.reading.textContent = [...places, ...(Number.isFinite(value) ? [named(this.map.quantity, value)] : [])].join(", ");
  }
}

export class SurfaceChart extends ColoredChart {
  private readonly points: Float32Array | Float64Array;
  private readonly faces: Uint16Array | Uint32Array;
  private readonly ends: Range[];
  private turn = -1.05; // about z
  private rise = 0.45; // of the view above the plane of x and y

  constructor(private readonly surface: SurfaceData) {
    super(surface, surface.title || "Surface");
    this.points = unpacked(surface.points);
    this.faces = wholeNumbers(surface.faces);
    this.place = { left: 12, top: 4, wide: 50, high: 330 };
    this.ends = [0, 1, 2].map((k) => extended(EVERYTHING, this.points.filter((_, i) => i % 3 === k)));
    this.canvas.classList.add("turned");
    this.canvas.setAttribute("aria-label", `${this.box.getAttribute("aria-label")}; arrow keys turn it`);
    this.canvas.addEventListener("pointerdown", (event) => this.drag(event));
    this.canvas.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      if (!by) return;
      event.preventDefault();
      this.turnBy(by[0], by[1]);
    });
  }

  resize(width: number): void {
    this.lay(width, 330);
    this.draw();
  }

  private turnBy(turn: number, rise: number): void {
    this.turn += turn;
    this.rise = Math.min(Math.max(this.rise + rise, -1.5), 1.5);
    requestAnimationFrame(() => this.draw());
  }

  private drag(down: PointerEvent): void {
    let [x, y] = [down.clientX, down.clientY];
    const move = (event: PointerEvent): void => {
      this.turnBy(-0.008 * (event.clientX - x), 0.008 * (event.clientY - y));
      [x, y] = [event.clientX, event.clientY];
    };
    const stop = (): void => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", stop);
      window.removeEventListener("pointercancel", stop);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", stop);
    window.addEventListener("pointercancel", stop);
  }

  /** Pixels and depth of a point: x to the right, depth to the reader. */
  private seen(size: number): (p: number[]) => [number, number, number] {
    const [ct, st, cr, sr] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.rise), Math.sin(this.rise)];
    const middle = this.ends.map(([low, high]) => 0.5 * (low + high));
    return (p) => {
      const [x, y, z] = p.map((each, k) => each - middle[k]);
      const [right, away] = [-st * x + ct * y, ct * x + st * y];
      return [0.5 * this.place.wide + size * right, 0.5 * this.place.high - size * (cr * z - sr * away), size * (sr * z + cr * away)];
    };
  }

  private draw(): void {
    const reach = Math.hypot(...this.ends.map(([low, high]) => high - low)) || 1;
    const at = this.seen((Math.min(this.place.wide, this.place.high) / reach) * 0.92);
    const pixels = new Float32Array(this.points.length);
    for (let i = 0; i < pixels.length; i += 3) pixels.set(at([this.points[i], this.points[i + 1], this.points[i + 2]]).map((x) => x * this.ratio), i);
    this.shown = rasterized({ points: pixels, values: this.values, faces: this.faces }, this.canvas.width, this.canvas.height, true);
    this.grid.replaceChildren(...this.edges(at));
    this.paint();
  }

  /** The edges of the box about the surface that lie behind it, with names and ends of the axes. */
  private edges(at: (p: number[]) => [number, number, number]): SVGElement[] {
    const corner = (i: number): number[] => this.ends.map((range, k) => range[(i >> k) & 1]);
    const seen = Array.from({ length: 8 }, (_, i) => at(corner(i)));
    const front = seen.reduce((best, p, i) => (p[2] > seen[best][2] ? i : best), 0);
    const { left, top } = this.place;
    const made: SVGElement[] = [];
    for (let k = 0; k < 3; k++) {
      const lines = Array.from({ length: 8 }, (_, i) => i).filter((i) => !((i >> k) & 1) && i !== front && i + (1 << k) !== front).map((i) => [seen[i], seen[i + (1 << k)]]);
      for (const [a, b] of lines) made.push(svg("line", { x1: left + a[0], y1: top + a[1], x2: left + b[0], y2: top + b[1] }));
      const outer = lines.reduce((best, each) => (outward(each, k) > outward(best, k) ? each : best));
      const [px, py] = [0, 1].map((i) => 0.5 * (outer[0][i] + outer[1][i]));
      const [dx, dy] = k < 2 ? [px < 0.5 * this.place.wide ? -16 : 16, 18] : [-14, 0];
      const anchor = dx < 0 ? "end" : "start";
      const [name, unit] = splitLabel(this.surface.labels[k]);
      made.push(caption(left + px + dx, top + py + dy, unit ? `${name} [${unit}]` : name, anchor));
      outer.forEach((end, i) => made.push(caption(left + end[0] + 0.4 * dx, top + end[1] + 0.6 * dy + 3, number(this.ends[k][i], 3), anchor)));
    }
    return made;
  }
}

/** How far an edge is where its numbers are read best: below for x and y, to the left for z. */
function outward(line: [number, number, number][], k: number): number {
  return k < 2 ? line[0][1] + line[1][1] : -line[0][0] - line[1][0];
}
