// One chart: curves and areas over time or over another quantity, with zoom and pan.

import { Box, EVERYTHING, Range, drawnAxes, equalized, extended, spread } from "./axes";
import { PanelData, splitLabel } from "./chart_data";
import { Curve, area, line, resampled, spots, within } from "./curves";
import { button, element, number } from "./elements";
import { Row, sampleAt, valueAt } from "./sampling";
import { csv, offered, standalone, svg } from "./saving";

const LONG = 13; // letters of a name from which on the columns of the legend are wider
const DIGITS = 4;

export interface Mark {
  t: number;
  text: string;
}

/** What the charts of a page share. */
export interface Shared {
  span: Range; // of all times
  window: Range; // of the times shown
  clock: boolean; // the charts follow the clock of a motion; else they show what is under the pointer
  events: Mark[];
  choices: Curve[]; // quantities for the horizontal axis
  seek: (t: number) => void;
  zoom: (window: Range) => void;
}

export class Chart {
  readonly box = element("figure", { class: "plot" });
  private readonly place: Box;
  private readonly picture: SVGSVGElement;
  private readonly grid = svg("g", { class: "grid" });
  private readonly area: SVGSVGElement;
  private readonly areas = svg("g", { class: "areas" });
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
  private readonly name: string; // the title without a unit
  private abscissa: Curve | null = null; // null is time
  private along: Row[] = []; // the abscissa at the samples of the curves and of their ghosts
  private x: Range = [0, 1];
  private y: Range = [0, 1];
  private held: { x: Range | null; y: Range | null } = { x: null, y: null }; // ranges that the reader chose
  private time: number;
  private pointer: number | null = null; // time under the pointer
  private nearest: [number, number] | null = null; // curve and sample under the pointer, where curves do not rise

  constructor(readonly plot: PanelData, readonly curves: Curve[], private readonly shared: Shared) {
    this.title = plot.title || plot.beside;
    this.name = splitLabel(this.title)[0];
    this.time = shared.clock ? 0 : NaN;
    this.place = shared.clock ? { left: 58, top: 12, wide: 50, high: 154 } : { left: 58, top: plot.title ? 24 : 16, wide: 50, high: plot.equal ? 300 : plot.beside ? 180 : 40 };
    this.picture = svg("svg", { class: "chart", height: this.height, role: "img" });
    this.area = svg("svg", { x: this.place.left, y: this.place.top, height: this.place.high, overflow: "hidden" });
    this.shown = curves.map(() => true);
    this.box.setAttribute("aria-label", `Plot of ${this.name}: ${curves.slice(0, 12).map((c) => c.name).join(", ")}`);
    this.picture.setAttribute("aria-label", `${this.title} over ${shared.clock ? "time" : plot.below}`);
    this.dots = curves.map((c) => svg("circle", { r: 3, fill: c.color, display: c.low ? "none" : "" }));
    this.area.append(this.areas, this.marks, this.paths, ...this.dots);
    this.picture.append(this.grid, this.area);
    this.over.tabIndex = 0;
    this.over.setAttribute("role", "slider");
    shared.span.forEach((t, i) => this.over.setAttribute(`aria-value${["min", "max"][i]}`, String(t)));
    this.over.setAttribute("aria-label", `${shared.clock ? "Time" : "Place"} on the plot of ${this.name}; plus and minus zoom, 0 shows all`);
    this.over.append(this.now, this.frame);
    this.box.append(element("figcaption", {}, element("span", {}, this.title), this.tools()), ...this.remark(), element("div", { class: "chart-frame" }, this.picture, this.over, this.spots), this.legend);
    this.legend.classList.toggle("wide", curves.some((c) => c.ghost !== null || c.name.length > LONG));
    this.fillLegend();
    this.listen();
  }

  private tools(): HTMLElement {
    const select = element("select", { "aria-label": `Horizontal axis of ${this.name}`, title: "Horizontal axis" });
    select.append(element("option", { value: "-1" }, "over t"), ...this.shared.choices.map((c, i) => element("option", { value: String(i) }, `over ${c.name}`)));
    select.addEventListener("change", () => this.turn(this.shared.choices[Number(select.value)] ?? null));
    return element("span", { class: "plot-tools" },
      ...(this.shared.choices.length ? [select] : []),
      button("+", `Zoom into ${this.name} (+; or Ctrl and wheel, Shift and drag)`, () => this.magnify(0.5)),
      button("\u2212", `Zoom out of ${this.name} (-)`, () => this.magnify(2)),
      button("All", `Show all of ${this.name} (0, double-click)`, () => this.whole()),
      button("CSV", `Save the numbers of ${this.name}`, () => offered(`${this.name}.csv`, new Blob([csv(this.plot.below, this.curves, this.exact)], { type: "text/csv" }))),
      button("SVG", `Save the picture of ${this.name}`, () => this.save()),
    );
  }

  /** The components that do not move, with their values. */
  private remark(): HTMLElement[] {
    const { constants, beside } = this.plot;
    if (!constants?.length) return [];
    const unit = splitLabel(beside)[1];
    const values = constants.map(([name, value]) => `${name} = ${number(value)}${unit && value ? ` ${unit}` : ""}`);
    return [element("p", { class: "constants" }, `constant: ${values.join(", ")}`)];
  }

  private save(): void {
    const shown = this.curves.filter((_, k) => this.shown[k]);
    offered(`${this.name}.svg`, new Blob([standalone(this.picture, this.title, shown)], { type: "image/svg+xml" }));
  }

  private fillLegend(): void {
    const place = (name: HTMLElement) => {
      const value = element("output");
      this.values.push(value);
      this.legend.append(element("li", {}, name, value));
    };
    place(element("span", { class: "abscissa" }, this.plot.below));
    this.curves.forEach((curve, k) => {
      const mark = svg("svg", { width: 18, height: 8, "aria-hidden": "true" });
      if (curve.low) mark.append(svg("rect", { width: 18, height: 8, fill: curve.color, "fill-opacity": this.depth(k) }));
      else if (curve.dots) mark.append(svg("circle", { cx: 9, cy: 4, r: 3, fill: curve.color }));
      else mark.append(svg("line", { x1: 0, x2: 18, y1: 4, y2: 4, stroke: curve.color, "stroke-width": 2.5, "stroke-dasharray": curve.dash }));
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
    const label = abscissa ? (abscissa.unit ? `${abscissa.name} [${abscissa.unit}]` : abscissa.name) : this.plot.below;
    this.legend.querySelector(".abscissa")!.textContent = label;
    this.picture.setAttribute("aria-label", `${this.title} over ${abscissa?.name ?? "time"}`);
    this.draw();
  }

  /** A number as it was before logarithms. */
  private readonly exact = (x: number): number => (this.plot.log ? 10 ** x : x);

  /** How opaque an area is: those about one curve lie upon each other. */
  private depth(k: number): number {
    const lines = this.plot.curves.length;
    return lines ? Math.min(0.18 * (k - lines + 1), 0.6) : 0.6;
  }

  resize(width: number): void {
    this.place.wide = Math.max(width - this.place.left - 10, 50);
    this.picture.setAttribute("width", String(width));
    this.picture.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    this.area.setAttribute("width", String(this.wide));
    for (const layer of [this.over, this.spots]) Object.assign(layer.style, { left: `${this.place.left}px`, top: `${this.place.top}px`, width: `${this.wide}px`, height: `${this.high}px` });
    this.draw();
  }

  private get height(): number {
    return this.place.top + this.place.high + (this.shared.clock ? 24 : 38);
  }

  private get wide(): number {
    return this.place.wide;
  }

  private get high(): number {
    return this.place.high;
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
    if (this.plot.equal) [this.x, this.y] = equalized(this.x, this.y, this.place);
    const named = this.shared.clock ? { below: "", beside: "" } : { below: this.plot.below, beside: this.plot.title ? this.plot.beside : "" };
    this.grid.replaceChildren(...drawnAxes({ range: this.x, label: named.below, log: this.plot.log, counts: this.plot.counts }, { range: this.y, label: named.beside, log: this.plot.log, bare: !this.plot.beside }, this.place));
    this.marks.replaceChildren(...this.limits(), ...this.eventLines());
    this.areas.replaceChildren(...parts.filter((p) => p.curve.low).map(({ curve, k, x, y, from, to }) => {
      const d = area((i) => this.pixelX(x[i]), (i) => this.pixelY(curve.low![i]), (i) => this.pixelY(y[i]), from, to);
      return svg("path", { d, fill: curve.color, "fill-opacity": this.depth(k) });
    }));
    this.paths.replaceChildren(...parts.filter((p) => !p.curve.low).map(({ curve, x, y, from, to, ghost }) => {
      const [px, py] = [(i: number) => this.pixelX(x[i]), (i: number) => this.pixelY(y[i])];
      const d = curve.dots ? spots(px, py, from, to) : line(px, py, from, to, this.abscissa || !curve.rising ? Infinity : this.wide);
      return svg("path", { d, stroke: curve.color, "stroke-dasharray": ghost ? "1.5 3" : curve.dash, opacity: ghost ? 0.75 : 1, class: ghost ? "ghost" : curve.dots ? "spots" : "" });
    }));
    this.spots.replaceChildren(...this.buttons());
    this.show(this.time);
  }

  private lines(curve: Curve, k: number): { curve: Curve; k: number; x: Row; y: Row; from: number; to: number; ghost: boolean }[] {
    const both = [{ t: curve.t, y: curve.y, ghost: false }, ...(curve.ghost ? [{ ...curve.ghost, ghost: true }] : [])];
    return both.map(({ t, y, ghost }) => {
      const [from, to] = this.abscissa || !curve.rising ? [0, t.length - 1] : within(t, this.held.x ?? this.shared.window);
      return { curve, k, x: this.abscissa ? this.along[2 * k + Number(ghost)] : t, y, from, to, ghost };
    });
  }

  /** The range of the values in sight, with limits that are not far from them. */
  private fitted(parts: { curve: Curve; y: Row; from: number; to: number }[]): Range {
    const rows = parts.flatMap((p) => (p.curve.low ? [p, { ...p, y: p.curve.low }] : [p]));
    const seen = rows.reduce((range, p) => extended(range, p.y, p.from, p.to), EVERYTHING);
    const far = seen[1] - seen[0];
    const near = (this.plot.limits ?? []).map(([, value]) => value).filter((x) => x > seen[0] - far && x < seen[1] + far);
    const [low, high] = spread(extended(seen, near), this.name === "Closure");
    return [parts.length && parts.every((p) => p.curve.low) && seen[0] === 0 ? 0 : low, high];
  }

  private limits(): SVGElement[] {
    return (this.plot.limits ?? []).flatMap(([name, value]) => {
      const k = this.curves.findIndex((c) => c.name === name);
      const at = this.pixelY(value);
      return this.shown[k] ? [svg("line", { x1: 0, x2: this.wide, y1: at, y2: at, stroke: this.curves[k].color, "stroke-dasharray": "8 4", class: "limit" })] : [];
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
    for (const [name, value] of this.plot.limits ?? []) {
      const k = this.curves.findIndex((c) => c.name === name);
      if (!this.shown[k]) continue;
      const broken = firstBeyond(this.curves[k], value, this.plot.limits!);
      const about = `limit of ${name}: ${number(value)} ${this.curves[k].unit}`;
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
    const line = this.pixelX(x(this.shared.clock ? time : at));
    this.now.style.display = line >= -1 && line <= this.wide + 1 ? "" : "none";
    this.now.style.transform = `translateX(${line}px)`;
    this.over.setAttribute("aria-valuenow", String(time || 0));
    this.over.setAttribute("aria-valuetext", this.shared.clock ? `${number(time, 4)} seconds` : this.read(x(at)));
    this.values[0].textContent = this.read(x(at));
    this.curves.forEach((curve, k) => {
      const y = this.valueOf(curve, k, at);
      const other = curve.ghost ? valueAt(curve.ghost.t, curve.ghost.y, at) : NaN;
      const low = curve.low && Number.isFinite(y) ? valueAt(curve.t, curve.low, at) : 0;
      const text = (low ? `${this.read(low)} to ` : "") + this.read(y) + (Number.isFinite(other) ? ` (${this.read(other)})` : "");
      if (this.values[k + 1].textContent !== text) this.values[k + 1].textContent = text;
      const [cx, cy] = [this.pixelX(x(at)), this.pixelY(y)];
      this.dots[k].style.display = this.shown[k] && !curve.low && Number.isFinite(cx + cy) ? "" : "none";
      if (Number.isFinite(cx + cy)) {
        this.dots[k].setAttribute("cx", cx.toFixed(1));
        this.dots[k].setAttribute("cy", cy.toFixed(1));
      }
    });
  }

  private read(x: number): string {
    return Number.isFinite(x) ? number(this.exact(x), DIGITS) : this.pointer === null && !this.shared.clock ? "" : "\u2013";
  }

  /** The value of a curve at a time; dots, and curves that do not rise, have values at their samples only. */
  private valueOf(curve: Curve, k: number, at: number): number {
    if (!Number.isFinite(at)) return NaN;
    if (this.nearest?.[0] === k) return curve.y[this.nearest[1]];
    if (!curve.rising) return NaN;
    if (!curve.dots) return valueAt(curve.t, curve.y, at);
    const [i] = sampleAt(curve.t, at);
    return curve.t[i] === at ? curve.y[i] : NaN;
  }

  private listen(): void {
    const { over } = this;
    over.addEventListener("pointermove", (event) => {
      if (event.buttons) return;
      this.point(this.timeAt(this.position(event)));
    });
    over.addEventListener("pointerleave", () => {
      this.nearest = null;
      this.point(null);
    });
    over.addEventListener("contextmenu", (event) => event.preventDefault());
    over.addEventListener("dblclick", () => this.whole());
    over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    over.addEventListener("keydown", (event) => this.key(event));
    over.addEventListener("pointerdown", (event) => this.press(event));
  }

  /** Show the numbers at a time; of a study, on all charts of its axis. */
  private point(time: number | null): void {
    this.pointer = time;
    if (this.shared.clock) this.show(this.time);
    else this.shared.seek(time ?? NaN);
  }

  private position(event: { clientX: number; clientY: number }): [number, number] {
    const box = this.over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The time that a point of the chart means: below it, or of the nearest sample of a curve over another quantity. */
  private timeAt([px, py]: [number, number]): number {
    const free = this.curves.every((curve) => curve.rising && !curve.dots);
    if (!this.abscissa && free) return this.x[0] + (px / this.wide) * (this.x[1] - this.x[0]);
    let [best, found] = [Infinity, this.time];
    this.curves.forEach((curve, k) => {
      if (!this.shown[k]) return;
      const x = this.abscissa ? this.along[2 * k] : curve.t;
      for (let i = 0; i < curve.t.length; i++) {
        const far = Math.hypot(this.pixelX(x[i]) - px, this.pixelY(curve.y[i]) - py);
        if (far < best) [best, found, this.nearest] = [far, curve.t[i], this.abscissa ? null : [k, i]];
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
      if (kind === "seek") this.shared.clock ? this.shared.seek(this.timeAt([px, py])) : this.point(this.timeAt([px, py]));
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
      ...(this.shared.clock || event.shiftKey ? {} : { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1) }),
      ...(event.shiftKey ? { ArrowLeft: () => this.hold([this.x[0] - far, this.x[1] - far], this.held.y), ArrowRight: () => this.hold([this.x[0] + far, this.x[1] + far], this.held.y) } : {}),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  /** Move what is shown of a study by a fiftieth of the axis, or to the next sample of dots. */
  private step(by: number): void {
    const first = this.curves[0];
    const now = Number.isFinite(this.time) ? this.time : this.x[0];
    const [i] = sampleAt(first.t, now);
    const next = first.dots ? first.t[Math.min(Math.max(i + by, 0), first.t.length - 1)] : now + 0.02 * by * (this.x[1] - this.x[0]);
    this.nearest = first.dots ? [0, Math.min(Math.max(i + by, 0), first.t.length - 1)] : null;
    this.point(Math.min(Math.max(next, this.x[0]), this.x[1]));
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
function firstBeyond(curve: Curve, value: number, limits: [string, number][]): number | null {
  const lower = value < 0 || limits.some(([name, other]) => name === curve.name && other > value);
  for (let i = 0; i < curve.t.length; i++) if (lower ? curve.y[i] < value : curve.y[i] > value) return curve.t[i];
  return null;
}
