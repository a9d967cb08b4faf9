// One chart: curves over time or over another quantity, with zoom and pan.

import { Range, extended, spread, ticks } from "./axes";
import { Curve, line, resampled, within } from "./curves";
import { PlotData } from "./data";
import { button, element, number } from "./elements";
import { Row, valueAt } from "./sampling";
import { csv, offered, standalone, svg } from "./saving";

const HEIGHT = 190;
const LEFT = 58;
const RIGHT = 10;
const TOP = 12;
const BOTTOM = 24;
const LONG = 13; // letters of a name from which on the columns of the legend are wider
const EVERYTHING: Range = [Infinity, -Infinity];

export interface Mark {
  t: number;
  text: string;
}

/** What the charts of a page share. */
export interface Shared {
  span: Range; // of all times
  window: Range; // of the times shown
  events: Mark[];
  choices: Curve[]; // quantities for the horizontal axis
  seek: (t: number) => void;
  zoom: (window: Range) => void;
}

export class Chart {
  readonly box = element("figure", { class: "plot" });
  private readonly picture = svg("svg", { class: "chart", height: HEIGHT, role: "img" });
  private readonly grid = svg("g", { class: "grid" });
  private readonly area = svg("svg", { x: LEFT, y: TOP, height: HEIGHT - TOP - BOTTOM, overflow: "hidden" });
  private readonly marks = svg("g", { class: "marks" });
  private readonly paths = svg("g", { class: "curves" });
  private readonly dots: SVGCircleElement[];
  private readonly over = element("div", { class: "chart-area" });
  private readonly now = element("div", { class: "now" });
  private readonly frame = element("div", { class: "box" });
  private readonly spots = element("div", { class: "chart-spots" });
  private readonly legend = element("ul", { class: "legend" });
  private readonly values: HTMLElement[] = [];
  private readonly shown: boolean[];
  private readonly title: string;
  private abscissa: Curve | null = null; // null is time
  private along: Row[] = []; // the abscissa at the samples of the curves and of their ghosts
  private x: Range = [0, 1];
  private y: Range = [0, 1];
  private held: { x: Range | null; y: Range | null } = { x: null, y: null }; // ranges that the reader chose
  private width = 300;
  private time = 0;
  private pointer: number | null = null; // time under the pointer

  constructor(readonly plot: PlotData, readonly curves: Curve[], private readonly shared: Shared) {
    this.title = plot.unit ? `${plot.title} [${plot.unit}]` : plot.title;
    this.shown = curves.map(() => true);
    this.box.setAttribute("aria-label", `Plot of ${plot.title}: ${plot.names.slice(0, 12).join(", ")}`);
    this.picture.setAttribute("aria-label", `${this.title} over time`);
    this.dots = curves.map((c) => svg("circle", { r: 3, fill: c.color }));
    this.area.append(this.marks, this.paths, ...this.dots);
    this.picture.append(this.grid, this.area);
    this.over.tabIndex = 0;
    this.over.setAttribute("role", "slider");
    shared.span.forEach((t, i) => this.over.setAttribute(`aria-value${["min", "max"][i]}`, String(t)));
    this.over.setAttribute("aria-label", `Time on the plot of ${plot.title}; plus and minus zoom, 0 shows all`);
    this.over.append(this.now, this.frame);
    this.box.append(element("figcaption", {}, element("span", {}, this.title), this.tools()), ...this.remark(), element("div", { class: "chart-frame" }, this.picture, this.over, this.spots), this.legend);
    this.legend.classList.toggle("wide", curves.some((c) => c.ghost !== null || c.name.length > LONG));
    this.fillLegend();
    this.listen();
  }

  private tools(): HTMLElement {
    const select = element("select", { "aria-label": `Horizontal axis of ${this.plot.title}`, title: "Horizontal axis" });
    select.append(element("option", { value: "-1" }, "over t"), ...this.shared.choices.map((c, i) => element("option", { value: String(i) }, `over ${c.name}`)));
    select.addEventListener("change", () => this.turn(this.shared.choices[Number(select.value)] ?? null));
    return element("span", { class: "plot-tools" },
      select,
      button("+", `Zoom into ${this.plot.title} (+; or Ctrl and wheel, Shift and drag)`, () => this.magnify(0.5)),
      button("\u2212", `Zoom out of ${this.plot.title} (-)`, () => this.magnify(2)),
      button("All", `Show all of ${this.plot.title} (0, double-click)`, () => this.whole()),
      button("CSV", `Save the numbers of ${this.plot.title}`, () => offered(`${this.plot.title}.csv`, new Blob([csv(this.curves)], { type: "text/csv" }))),
      button("SVG", `Save the picture of ${this.plot.title}`, () => this.save()),
    );
  }

  /** The components that do not move, with their values. */
  private remark(): HTMLElement[] {
    const { constants, unit } = this.plot;
    if (!constants?.length) return [];
    const values = constants.map(({ name, value }) => `${name} = ${number(value)}${unit && value ? ` ${unit}` : ""}`);
    return [element("p", { class: "constants" }, `constant: ${values.join(", ")}`)];
  }

  private save(): void {
    const shown = this.curves.filter((_, k) => this.shown[k]);
    offered(`${this.plot.title}.svg`, new Blob([standalone(this.picture, this.title, shown)], { type: "image/svg+xml" }));
  }

  private fillLegend(): void {
    const place = (name: HTMLElement) => {
      const value = element("output");
      this.values.push(value);
      this.legend.append(element("li", {}, name, value));
    };
    place(element("span", { class: "abscissa" }, "t [s]"));
    this.curves.forEach((curve, k) => {
      const mark = svg("svg", { width: 18, height: 8, "aria-hidden": "true" });
      mark.append(svg("line", { x1: 0, x2: 18, y1: 4, y2: 4, stroke: curve.color, "stroke-width": 2.5, "stroke-dasharray": curve.dash }));
      const name = element("button", { type: "button", "aria-pressed": "true", title: `Show or hide ${curve.name}` }, element("span", {}, curve.name));
      name.prepend(mark);
      name.addEventListener("click", () => {
        this.shown[k] = !this.shown[k];
        name.setAttribute("aria-pressed", String(this.shown[k]));
        this.draw();
      });
      place(name);
    });
  }

  /** Put another quantity on the horizontal axis. */
  private turn(abscissa: Curve | null): void {
    this.abscissa = abscissa;
    this.along = abscissa ? this.curves.flatMap((c) => [resampled(c.t, abscissa), c.ghost && abscissa.ghost ? resampled(c.ghost.t, abscissa.ghost) : []]) : [];
    this.held = { x: null, y: null };
    const label = abscissa ? (abscissa.unit ? `${abscissa.name} [${abscissa.unit}]` : abscissa.name) : "t [s]";
    this.legend.querySelector(".abscissa")!.textContent = label;
    this.picture.setAttribute("aria-label", `${this.title} over ${abscissa?.name ?? "time"}`);
    this.draw();
  }

  resize(width: number): void {
    this.width = width;
    this.picture.setAttribute("width", String(width));
    this.picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.area.setAttribute("width", String(this.wide));
    for (const layer of [this.over, this.spots]) Object.assign(layer.style, { left: `${LEFT}px`, top: `${TOP}px`, width: `${this.wide}px`, height: `${this.high}px` });
    this.draw();
  }

  private get wide(): number {
    return Math.max(this.width - LEFT - RIGHT, 50);
  }

  private get high(): number {
    return HEIGHT - TOP - BOTTOM;
  }

  private pixelX(x: number): number {
    return ((x - this.x[0]) / (this.x[1] - this.x[0])) * this.wide;
  }

  private pixelY(y: number): number {
    return (1 - (y - this.y[0]) / (this.y[1] - this.y[0])) * this.high;
  }

  /** Draw for the present ranges. */
  draw(): void {
    const parts = this.curves.flatMap((curve, k) => (this.shown[k] ? this.lines(curve, k) : []));
    this.x = this.held.x ?? (this.abscissa ? spread(parts.reduce((range, p) => extended(range, p.x), EVERYTHING)) : this.shared.window);
    this.y = this.held.y ?? this.fitted(parts);
    this.grid.replaceChildren(...this.axes());
    this.marks.replaceChildren(...this.limits(), ...this.eventLines());
    const thin = this.abscissa ? Infinity : this.wide;
    this.paths.replaceChildren(...parts.map(({ curve, x, y, from, to, ghost }) => {
      const d = line((i) => this.pixelX(x[i]), (i) => this.pixelY(y[i]), from, to, thin);
      return svg("path", { d, stroke: curve.color, "stroke-dasharray": ghost ? "1.5 3" : curve.dash, opacity: ghost ? 0.75 : 1, class: ghost ? "ghost" : "" });
    }));
    this.spots.replaceChildren(...this.buttons());
    this.show(this.time);
  }

  private lines(curve: Curve, k: number): { curve: Curve; x: Row; y: Row; from: number; to: number; ghost: boolean }[] {
    const both = [{ t: curve.t, y: curve.y, ghost: false }, ...(curve.ghost ? [{ ...curve.ghost, ghost: true }] : [])];
    return both.map(({ t, y, ghost }) => {
      const [from, to] = this.abscissa ? [0, t.length - 1] : within(t, this.held.x ?? this.shared.window);
      return { curve, x: this.abscissa ? this.along[2 * k + Number(ghost)] : t, y, from, to, ghost };
    });
  }

  /** The range of the values in sight, with limits that are not far from them. */
  private fitted(parts: { y: Row; from: number; to: number }[]): Range {
    const seen = parts.reduce((range, p) => extended(range, p.y, p.from, p.to), EVERYTHING);
    const far = seen[1] - seen[0];
    const near = (this.plot.limits ?? []).map((limit) => limit.value).filter((x) => x > seen[0] - far && x < seen[1] + far);
    return spread(extended(seen, near), this.plot.title === "Closure");
  }

  private axes(): SVGElement[] {
    const made: SVGElement[] = [];
    const put = (x: number, y: number, text: string, anchor: string) => {
      const label = svg("text", { x, y, "text-anchor": anchor });
      label.textContent = text;
      made.push(label);
    };
    const across = ticks(this.x, this.wide / 70);
    for (const x of across.at) {
      const at = LEFT + this.pixelX(x);
      made.push(svg("line", { x1: at, x2: at, y1: TOP, y2: TOP + this.high }));
      put(at, HEIGHT - 9, across.label(x), "middle");
    }
    const up = ticks(this.y, 6);
    for (const y of up.at) {
      const at = TOP + this.pixelY(y);
      made.push(svg("line", { x1: LEFT, x2: LEFT + this.wide, y1: at, y2: at, class: y === 0 ? "zero" : "" }));
      put(LEFT - 6, at + 4, up.label(y), "end");
    }
    if (up.factor) put(LEFT, TOP - 3, up.factor, "start");
    if (across.factor) put(this.width - 2, HEIGHT - 1, across.factor, "end");
    return made;
  }

  private limits(): SVGElement[] {
    return (this.plot.limits ?? []).filter(({ name }) => this.shown[this.plot.names.indexOf(name)]).map(({ name, value }) => {
      const color = this.curves[this.plot.names.indexOf(name)].color;
      const at = this.pixelY(value);
      return svg("line", { x1: 0, x2: this.wide, y1: at, y2: at, stroke: color, "stroke-dasharray": "8 4", class: "limit" });
    });
  }

  private eventLines(): SVGElement[] {
    if (this.abscissa) return [];
    return this.shared.events.map(({ t }) => svg("line", { x1: this.pixelX(t), x2: this.pixelX(t), y1: 0, y2: this.high, "stroke-dasharray": "2 3", class: "event" }));
  }

  /** Buttons at events, and at limits that are broken: both bring the mechanism to that time. */
  private buttons(): HTMLElement[] {
    const made: HTMLElement[] = [];
    const put = (x: number, y: number, text: string, t: number, kind: string) => {
      if (x < -1 || x > this.wide + 1 || y < -1 || y > this.high + 1) return;
      const mark = button("", text, () => this.shared.seek(t));
      mark.className = `mark ${kind}`;
      Object.assign(mark.style, { left: `${x}px`, top: `${y}px` });
      made.push(mark);
    };
    if (!this.abscissa) for (const { t, text } of this.shared.events) put(this.pixelX(t), 0, `t = ${number(t)} s: ${text}`, t, "event");
    for (const { name, value } of this.plot.limits ?? []) {
      const k = this.plot.names.indexOf(name);
      if (!this.shown[k]) continue;
      const broken = firstBeyond(this.curves[k], value, this.plot.limits!);
      const about = `limit of ${name}: ${number(value)} ${this.plot.unit}`;
      if (broken === null) put(this.wide, this.pixelY(value), `${about}, kept`, this.time, "limit");
      else put(this.wide, this.pixelY(value), `${about}, left at t = ${number(broken)} s`, broken, "limit broken");
    }
    return made;
  }

  /** Bring line, dots and numbers to a time; the numbers follow the pointer while it is over the chart. */
  show(time: number): void {
    this.time = time;
    const at = this.pointer ?? time;
    const x = (t: number) => (this.abscissa ? valueAt(this.abscissa.t, this.abscissa.y, t) : t);
    const line = this.pixelX(x(time));
    this.now.style.display = line >= -1 && line <= this.wide + 1 ? "" : "none";
    this.now.style.transform = `translateX(${line}px)`;
    this.over.setAttribute("aria-valuenow", String(time));
    this.over.setAttribute("aria-valuetext", `${number(time, 4)} seconds`);
    this.values[0].textContent = number(x(at));
    this.curves.forEach((curve, k) => {
      const y = valueAt(curve.t, curve.y, at);
      const other = curve.ghost ? valueAt(curve.ghost.t, curve.ghost.y, at) : NaN;
      const text = (Number.isFinite(y) ? number(y) : "\u2013") + (Number.isFinite(other) ? ` (${number(other)})` : "");
      if (this.values[k + 1].textContent !== text) this.values[k + 1].textContent = text;
      const [cx, cy] = [this.pixelX(x(at)), this.pixelY(y)];
      this.dots[k].style.display = this.shown[k] && Number.isFinite(cx + cy) ? "" : "none";
      if (Number.isFinite(cx + cy)) {
        this.dots[k].setAttribute("cx", cx.toFixed(1));
        this.dots[k].setAttribute("cy", cy.toFixed(1));
      }
    });
  }

  private listen(): void {
    const { over } = this;
    over.addEventListener("pointermove", (event) => {
      if (event.buttons) return;
      this.pointer = this.timeAt(this.position(event));
      this.show(this.time);
    });
    over.addEventListener("pointerleave", () => {
      this.pointer = null;
      this.show(this.time);
    });
    over.addEventListener("contextmenu", (event) => event.preventDefault());
    over.addEventListener("dblclick", () => this.whole());
    over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    over.addEventListener("keydown", (event) => this.key(event));
    over.addEventListener("pointerdown", (event) => this.press(event));
  }

  private position(event: { clientX: number; clientY: number }): [number, number] {
    const box = this.over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The time that a point of the chart means: below it, or of the nearest sample of a curve over another quantity. */
  private timeAt([px, py]: [number, number]): number {
    if (!this.abscissa) return this.x[0] + (px / this.wide) * (this.x[1] - this.x[0]);
    let [best, found] = [Infinity, this.time];
    this.curves.forEach((curve, k) => {
      if (!this.shown[k]) return;
      const x = this.along[2 * k];
      for (let i = 0; i < curve.t.length; i++) {
        const far = Math.hypot(this.pixelX(x[i]) - px, this.pixelY(curve.y[i]) - py);
        if (far < best) [best, found] = [far, curve.t[i]];
      }
    });
    return found;
  }

  private press(down: PointerEvent): void {
    const [x0, y0] = this.position(down);
    const [x, y] = [this.x, this.y];
    const kind = down.shiftKey ? "box" : down.altKey || down.button !== 0 ? "pan" : "seek";
    const move = (event: PointerEvent) => {
      const [px, py] = this.position(event);
      if (kind === "seek") this.shared.seek(this.timeAt([px, py]));
      if (kind === "box") this.outline(x0, y0, px, py);
      if (kind === "pan") {
        const [dx, dy] = [((x0 - px) / this.wide) * (x[1] - x[0]), ((py - y0) / this.high) * (y[1] - y[0])];
        this.hold([x[0] + dx, x[1] + dx], [y[0] + dy, y[1] + dy]);
      }
    };
    const stop = (event: PointerEvent) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", stop);
      this.frame.style.display = "none";
      if (kind === "box") this.enlarge(x0, y0, ...this.position(event));
    };
    if (kind === "seek") move(down);
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", stop);
  }

  private outline(x0: number, y0: number, x1: number, y1: number): void {
    Object.assign(this.frame.style, {
      display: "block", left: `${Math.min(x0, x1)}px`, top: `${Math.min(y0, y1)}px`, width: `${Math.abs(x1 - x0)}px`, height: `${Math.abs(y1 - y0)}px`,
    });
  }

  /** Show the part inside a box; a flat box is a range of the horizontal axis only. */
  private enlarge(x0: number, y0: number, x1: number, y1: number): void {
    if (Math.abs(x1 - x0) < 5) return;
    const across = (px: number) => this.x[0] + (px / this.wide) * (this.x[1] - this.x[0]);
    const up = (py: number) => this.y[1] - (py / this.high) * (this.y[1] - this.y[0]);
    const x: Range = [across(Math.min(x0, x1)), across(Math.max(x0, x1))];
    this.hold(x, Math.abs(y1 - y0) < 20 ? null : [up(Math.max(y0, y1)), up(Math.min(y0, y1))]);
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const [px] = this.position(event);
    this.magnify(Math.exp(0.002 * event.deltaY), this.x[0] + (px / this.wide) * (this.x[1] - this.x[0]));
  }

  private key(event: KeyboardEvent): void {
    const far = 0.1 * (this.x[1] - this.x[0]);
    const actions: Record<string, () => void> = {
      "+": () => this.magnify(0.5),
      "=": () => this.magnify(0.5),
      "-": () => this.magnify(2),
      "0": () => this.whole(),
      ...(event.shiftKey ? { ArrowLeft: () => this.hold([this.x[0] - far, this.x[1] - far], this.held.y), ArrowRight: () => this.hold([this.x[0] + far, this.x[1] + far], this.held.y) } : {}),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  /** Scale the horizontal axis about a value of it: the present time unless given. */
  private magnify(factor: number, about?: number): void {
    const [low, high] = this.x;
    const now = this.abscissa ? valueAt(this.abscissa.t, this.abscissa.y, this.time) : this.time;
    const c = about ?? (now >= low && now <= high ? now : 0.5 * (low + high));
    this.hold([c + factor * (low - c), c + factor * (high - c)], this.held.y);
  }

  private whole(): void {
    this.held = { x: null, y: null };
    if (this.abscissa) this.draw();
    else this.shared.zoom(this.shared.span);
  }

  /** Show a range; that of time is the range of all charts over time. */
  private hold(x: Range, y: Range | null): void {
    this.held.y = y;
    if (this.abscissa) {
      if (x[1] - x[0] > 0) this.held.x = x;
      this.draw();
    } else this.shared.zoom(x);
  }
}

/** The first time at which a curve is beyond a limit, null when it keeps it; the lower of two limits is one from below. */
function firstBeyond(curve: Curve, value: number, limits: { name: string; value: number }[]): number | null {
  const lower = value < 0 || limits.some((other) => other.name === curve.name && other.value > value);
  for (let i = 0; i < curve.t.length; i++) if (lower ? curve.y[i] < value : curve.y[i] > value) return curve.t[i];
  return null;
}
