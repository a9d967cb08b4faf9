// The charts of a study, drawn into an element of its page.

import "./study_charts.css";
import { ChartData, PanelData } from "./chart_data";
import { MapChart, SurfaceChart } from "./colored";
import { element } from "./elements";
import { ChartGroup } from "./plots";

interface Sized {
  box: HTMLElement;
  resize(width: number): void;
}

/** Charts in their order; those over one axis share its range and what is under the pointer. */
function chartsOf(panels: ChartData[]): Sized[] {
  const groups = new Map<string, PanelData[]>();
  for (const each of panels) if (each.kind === "Panel") groups.set(each.below, [...(groups.get(each.below) ?? []), each]);
  const drawn = new Map<ChartData, Sized>();
  for (const alike of groups.values()) new ChartGroup(alike).charts.forEach((chart, i) => drawn.set(alike[i], chart));
  return panels.map((each) => (each.kind === "Map" ? new MapChart(each) : each.kind === "Surface" ? new SurfaceChart(each) : drawn.get(each)!));
}

const PAPER = 640; // pixels that a chart is wide on paper

/** Draw charts that keep the width of their element; where one cannot be drawn the element says why. */
export function drawCharts(host: HTMLElement, panels: ChartData[]): void {
  try {
    const charts = chartsOf(panels);
    host.append(...charts.map((chart) => chart.box));
    const resize = (): void => charts.forEach((chart) => chart.resize(Math.max(chart.box.clientWidth, 200)));
    let width = 0;
    new ResizeObserver(() => {
      if (host.clientWidth !== width) resize();
      width = host.clientWidth;
    }).observe(host);
    resize();
    window.addEventListener("beforeprint", () => charts.forEach((chart) => chart.resize(PAPER)));
    window.addEventListener("afterprint", resize);
    host.dataset.ready = "true";
  } catch (fault) {
    host.append(element("p", { class: "fault", role: "alert" }, `The charts cannot be shown: ${(fault as Error).message}`));
    throw fault;
  }
}
