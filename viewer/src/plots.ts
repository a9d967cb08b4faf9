// Curves beside the scene, with a line at the present time.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { PlotData, unpacked } from "./data";
import { number } from "./elements";

// Tol's bright colors, then the same dashed.
export const CURVES = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888"];

export class Plots {
  private readonly charts: { chart: uPlot; line: HTMLElement; box: HTMLElement }[] = [];
  private time = 0;

  constructor(private readonly host: HTMLElement, plots: PlotData[], private readonly seek: (t: number) => void) {
    for (const plot of plots) this.add(plot);
    new ResizeObserver(() => this.resize()).observe(host);
  }

  private add(plot: PlotData): void {
    const box = document.createElement("figure");
    box.className = "plot";
    const caption = document.createElement("figcaption");
    caption.textContent = plot.unit ? `${plot.title} [${plot.unit}]` : plot.title;
    box.append(caption);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `Plot of ${plot.title}: ${plot.names.slice(0, 12).join(", ")}`);
    this.host.append(box);
    const chart = new uPlot(options(plot, this.width()), columns(plot), box);
    const line = document.createElement("div");
    line.className = "now";
    chart.over.append(line);
    chart.over.addEventListener("pointerdown", (event) => this.grab(chart, event));
    this.charts.push({ chart, line, box });
  }

  private grab(chart: uPlot, down: PointerEvent): void {
    const move = (event: PointerEvent) => this.seek(chart.posToVal(event.clientX - chart.over.getBoundingClientRect().left, "x"));
    const stop = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", stop);
    };
    move(down);
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", stop);
  }

  show(time: number): void {
    this.time = time;
    for (const { chart, line } of this.charts) {
      const x = chart.valToPos(time, "x");
      line.style.display = Number.isFinite(x) && x >= -1 && x <= chart.over.clientWidth + 1 ? "" : "none";
      line.style.transform = `translateX(${x}px)`;
      // Away from the pointer the legend reads the values at the present time.
      if (!chart.over.matches(":hover")) chart.setLegend({ idx: chart.valToIdx(time) });
    }
  }

  /** Redraw after a change of colors. */
  repaint(): void {
    for (const { chart } of this.charts) chart.redraw(false, true);
  }

  private resize(): void {
    for (const { chart } of this.charts) chart.setSize({ width: this.width(), height: 190 });
    this.show(this.time);
  }

  private width(): number {
    return Math.max(this.host.clientWidth - 12, 200);
  }
}

function columns(plot: PlotData): uPlot.AlignedData {
  const t = unpacked(plot.t);
  const values = unpacked(plot.values);
  const n = t.length;
  const curves = plot.names.map((_, k) => Array.from(values.subarray(k * n, (k + 1) * n), (x) => (Number.isFinite(x) ? x : null)));
  return [Array.from(t), ...curves] as uPlot.AlignedData;
}

/** The largest size of a value of a plot. */
function peakOf(plot: PlotData): number {
  let peak = 0;
  for (const x of unpacked(plot.values)) if (Math.abs(x) > peak && Number.isFinite(x)) peak = Math.abs(x);
  return peak;
}

/** Ends of the axis: somewhat beyond the values; values that are all alike are seen from zero. */
function spread(low: number, high: number, peak: number): [number, number] {
  if (low === null || high === null || !Number.isFinite(low + high)) return [-1, 1];
  if (peak === 0) return [-1, 1];
  if (high - low < 1e-9 * peak) return [Math.min(0, 1.5 * low), Math.max(0, 1.5 * high)];
  const beyond = 0.06 * (high - low);
  return [low - beyond, high + beyond];
}

function options(plot: PlotData, width: number): uPlot.Options {
  const ink = () => getComputedStyle(document.body).getPropertyValue("--ink").trim();
  const faint = () => getComputedStyle(document.body).getPropertyValue("--rule").trim();
  const axis = { stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 }, font: "11px sans-serif" };
  const peak = peakOf(plot);
  const digits = (_: uPlot, x: number | null) => (x === null || x === undefined ? "--" : Math.abs(x) < 1e-12 * peak ? "0" : number(x));
  return {
    width,
    height: 190,
    pxAlign: false,
    scales: { x: { time: false }, y: { range: (_, low, high) => spread(low, high, peak) } },
    axes: [
      { ...axis, size: 28 },
      { ...axis, size: 58, values: (_, ticks) => ticks.map((x) => String(Number(x.toPrecision(6)))) },
    ],
    cursor: { drag: { x: false, y: false }, sync: { key: "linkwright" }, points: { size: 6 } },
    legend: { live: true },
    series: [
      { label: "t [s]", value: digits },
      ...plot.names.map((label, k) => ({
        label,
        stroke: CURVES[k % CURVES.length],
        dash: k < CURVES.length ? undefined : k < 2 * CURVES.length ? [6, 3] : [2, 2],
        width: 1.5,
        value: digits,
        pxAlign: 0,
        spanGaps: false,
        points: { show: false },
      })),
    ],
  };
}
