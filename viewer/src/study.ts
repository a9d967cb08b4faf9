// The page of a study without a mechanism: its charts.

import "./study.css";
import type { ChartData } from "./chart_data";
import { listenToPrinting } from "./printing";
import { drawCharts } from "./study_charts";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const paint = (): void => void (document.documentElement.dataset.theme = dark.matches ? "dark" : "light");
paint();
dark.addEventListener("change", paint);
listenToPrinting(() => undefined);
drawCharts(document.getElementById("charts")!, JSON.parse(document.getElementById("linkwright-data")!.textContent!) as ChartData[]);
