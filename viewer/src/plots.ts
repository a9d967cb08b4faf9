// Charts that share their horizontal axis: those over time beside the scene, and those of a study.

import { EVERYTHING, Range, extended } from "./axes";
import { Chart, Mark, Shared } from "./chart";
import { PanelData } from "./chart_data";
import { curvesOf } from "./curves";
import { PageData } from "./data";
import { button, element, number } from "./elements";

const FOLDED = 6; // events from which on their list is folded
const SMALLEST = 1e-6; // of the whole range that can be shown

/** Charts with one range of their horizontal axis. */
export class ChartGroup {
  readonly charts: Chart[];
  private readonly shared: Shared;

  /** Charts over the time of a motion, whose clock they bring to a time; or those of a study. */
  constructor(panels: PanelData[], motion?: { span: Range; events: Mark[]; seek: (t: number) => void }) {
    const curves = panels.map(curvesOf);
    const span = motion?.span ?? spanOf(curves.flat());
    const seek = motion?.seek ?? ((t: number) => this.charts.forEach((chart) => chart.show(t)));
    const zoom = (window: Range): void => this.zoom(window);
    this.shared = { span, window: span, clock: Boolean(motion), events: motion?.events ?? [], choices: motion ? curves.flat() : [], seek, zoom };
    this.charts = panels.map((panel, i) => new Chart(panel, curves[i], this.shared));
  }

  private zoom([low, high]: Range): void {
    const { span } = this.shared;
    const size = Math.min(Math.max(high - low, SMALLEST * (span[1] - span[0])), span[1] - span[0]);
    const start = Math.min(Math.max(low, span[0]), span[1] - size);
    this.shared.window = [start, start + size];
    for (const chart of this.charts) chart.draw();
  }
}

/** The range of curves, with a margin about dots. */
function spanOf(curves: { t: ArrayLike<number>; dots: boolean }[]): Range {
  const [low, high] = curves.reduce((range, c) => extended(range, c.t), EVERYTHING);
  if (!Number.isFinite(high - low)) return [0, 1];
  const beyond = high > low ? (curves.some((c) => c.dots) ? 0.03 * (high - low) : 0) : 0.5;
  return [low - beyond, high + beyond];
}

export class Plots {
  readonly charts: Chart[];
  private readonly seen = new Set<Element>(); // charts in sight
  private time: number;

  constructor(private readonly host: HTMLElement, data: PageData, span: Range, seek: (t: number) => void) {
    const events: Mark[] = data.events ?? [];
    this.charts = new ChartGroup(data.plots, { span, events, seek }).charts;
    if (data.compared) host.append(element("p", { class: "compared" }, data.compared));
    if (events.length) host.append(eventList(events, seek));
    host.append(...this.charts.map((chart) => chart.box));
    this.time = span[0];
    if (this.charts.length) new ResizeObserver(() => this.resize()).observe(host);
    this.watch();
  }

  /** Bring the charts in sight to a time; the others when they come into sight. */
  show(time: number): void {
    this.time = time;
    for (const chart of this.charts) if (this.seen.has(chart.box)) chart.show(time);
  }

  private watch(): void {
    const watcher = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.seen[isIntersecting ? "add" : "delete"](target);
      this.show(this.time);
    });
    for (const { box } of this.charts) watcher.observe(box);
  }

  private resize(): void {
    const width = Math.max(this.host.clientWidth - 12, 200);
    for (const chart of this.charts) chart.resize(width);
  }
}

/** Everything that happened; a press brings the mechanism to that time. */
function eventList(events: Mark[], seek: (t: number) => void): HTMLElement {
  const list = element("ul", { class: "events" });
  for (const { t, text } of events) {
    const row = button(`t = ${number(t)} s: ${text}`, `Go to t = ${number(t)} s: ${text}`, () => seek(t));
    list.append(element("li", {}, row));
  }
  const fold = element("details", { class: "event-list" }, element("summary", {}, events.length === 1 ? "1 event" : `${events.length} events`), list);
  fold.open = events.length < FOLDED;
  return fold;
}
