// The points whose paths are drawn, as a list: chosen here or clicked in the drawing, removed, begun again, saved.

import { Vector3 } from "three";
import { button, element } from "./elements";
import type { Play } from "./play";
import { offered } from "./saving";

export class Points {
  readonly box = element("div", { class: "points" });
  private readonly list = element("ul", { class: "point-list", "aria-label": "Points with a path" });
  private readonly choice = element("select", { id: "point", "aria-label": "Draw the path of" });

  constructor(private readonly play: Play) {
    const { bodies, frames } = play.data.scene, { traces, stage } = play.viewer;
    this.choice.append(element("option", { value: "" }, "draw the path of \u2026"));
    const spots = [
      ...frames.filter(({ body }) => body >= 0).map(({ name, body, at }) => ({ name, body, at: at.slice(0, 3) })),
      ...bodies.map(({ name }, body) => ({ name: `center of ${name}`, body, at: play.data.engine!.bodies[body].center })),
    ];
    this.choice.append(...spots.map(({ name }, i) => element("option", { value: String(i) }, name)));
    this.choice.addEventListener("change", () => {
      const spot = spots[Number(this.choice.value)];
      if (this.choice.value) traces.add(spot.body, new Vector3().fromArray(spot.at), spot.name);
      this.choice.value = "";
      stage.later();
    });
    const again = button("Begin again", "Begin all paths again where the points are now", () => {
      traces.restart();
      stage.later();
    });
    this.box.append(element("p", { class: "remark" }, "Click a body to mark a point, or choose one."), this.list, element("div", { class: "tools" }, this.choice, again));
    traces.changed = () => this.show();
    this.show();
  }

  private show(): void {
    const { traces, stage } = this.play.viewer;
    this.list.replaceChildren(...traces.all.map((item) => {
      const save = button("CSV", `Save the path of ${item.name}`, () => {
        const xyz = item.live.length ? item.live : item.recorded, rows = Array.from({ length: xyz.length / 3 }, (_, i) => xyz.slice(3 * i, 3 * i + 3).join(","));
        offered(`${item.name}.csv`, new Blob([`x [m],y [m],z [m]\r\n${rows.join("\r\n")}\r\n`], { type: "text/csv" }));
      });
      const away = button("\u00D7", `Remove the path of ${item.name}`, () => {
        traces.remove(item);
        stage.later();
      });
      const mark = element("span", { class: "swatch", "aria-hidden": "true" });
      mark.style.background = item.color;
      return element("li", {}, mark, element("span", {}, item.name), save, away);
    }));
  }
}
