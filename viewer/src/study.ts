// Draws the charts of a study into its page.

import "./study.css";
import { ChartData, PanelData } from "./chart_data";
import { MapChart, SurfaceChart } from "./colored";
import { element } from "./elements";
import { ChartGroup } from "./plots";
import { listenToPrinting } from "./printing";

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

function start(host: HTMLElement): void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const paint = (): void => void (document.documentElement.dataset.theme = dark.matches ? "dark" : "light");
  paint();
  dark.addEventListener("change", paint);
  listenToPrinting(() => undefined);
  try {
    const charts = chartsOf(JSON.parse(document.getElementById("linkwright-data")!.textContent!) as ChartData[]);
    host.append(...charts.map((chart) => chart.box));
    const resize = (): void => charts.forEach((chart) => chart.resize(Math.max(chart.box.clientWidth, 200)));
    let width = 0;
    new ResizeObserver(() => {
      if (host.clientWidth !== width) resize();
      width = host.clientWidth;
    }).observe(host);
    resize();
    host.dataset.ready = "true";
  } catch (fault) {
    host.append(element("p", { class: "fault", role: "alert" }, `The charts cannot be shown: ${(fault as Error).message}`));
    throw fault;
  }
}

start(document.getElementById("charts")!);
