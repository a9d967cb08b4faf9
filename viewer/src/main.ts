// Reads the content of the page and shows it.

import "./style.css";
import { PageData } from "./data";
import { openEngine, openSceneShape } from "./engine/engine";
import type { SceneShape } from "./engine/scene_shape";
import { Viewer } from "./viewer";
import { element } from "./elements";
import { drawCharts } from "./study_charts";

const FORMAT = 1;

/** The drawing at other parameters; null where the page has none, or may not compute. */
async function opened({ shape, scene }: PageData): Promise<SceneShape | null> {
  return shape ? openSceneShape(shape, scene).catch(() => null) : null;
}

function start(): void {
  const root = document.getElementById("linkwright")!;
  try {
    const data = JSON.parse(document.getElementById("linkwright-data")!.textContent!) as PageData;
    if (data.format !== FORMAT) throw new Error(`this page holds data of format ${data.format} and its program reads format ${FORMAT}`);
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme ||= dark ? "dark" : "light";
    if (data.charts?.length) drawCharts(document.getElementById("charts")!, data.charts);
    const opening = data.engine ? Promise.all([openEngine(data.engine), opened(data)]) : null;
    const viewer = new Viewer(root, data);
    Object.assign(window, { linkwright: { viewer, data } });
    void opening?.then(([engine, shape]) => {
      viewer.open(engine, shape);
      root.dataset.opened = performance.now().toFixed(0);
    });
    // Ready when the first picture is on the screen; tests read how long that took.
    requestAnimationFrame(() => {
      viewer.stage.draw();
      viewer.stage.renderer.getContext().finish();
      root.dataset.drawn = performance.now().toFixed(0);
      root.dataset.ready = "true";
      if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) viewer.clock.play();
    });
  } catch (fault) {
    root.append(element("p", { class: "fault", role: "alert" }, `The mechanism cannot be shown: ${(fault as Error).message}`));
    throw fault;
  }
}

start();
