// Charts beside the scene; those over time share its range.

import { Chart, Mark, Shared } from "./chart";
import { Range } from "./axes";
import { curvesOf } from "./curves";
import { PageData } from "./data";
import { button, element, number } from "./elements";

const FOLDED = 6; // events from which on their list is folded
const SMALLEST = 1e-6; // of the whole time that can be shown

export class Plots {
  readonly charts: Chart[];
  private readonly shared: Shared;
  private readonly seen = new Set<Element>(); // charts in sight
  private time = 0;

  constructor(private readonly host: HTMLElement, data: PageData, span: Range, seek: (t: number) => void) {
    const events: Mark[] = data.events ?? [];
    const curves = data.plots.map(curvesOf);
    this.shared = { span, window: span, events, choices: curves.flat(), seek, zoom: (window) => this.zoom(window) };
    this.charts = data.plots.map((plot, i) => new Chart(plot, curves[i], this.shared));
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

  private zoom([low, high]: Range): void {
    const { span } = this.shared;
    const size = Math.min(Math.max(high - low, SMALLEST * (span[1] - span[0])), span[1] - span[0]);
    const start = Math.min(Math.max(low, span[0]), span[1] - size);
    this.shared.window = [start, start + size];
    for (const chart of this.charts) chart.draw();
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
