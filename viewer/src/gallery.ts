// Small pictures of all assembly modes with the present actuator positions; a click goes there.

import { button, element } from "./elements";
import { LiveState } from "./data";
import { Query, post } from "./requests";
import { Viewer } from "./viewer";

interface Mode {
  q: number[];
  poses: number[];
  branch: string;
}

export class Gallery {
  readonly box = element("div", { class: "gallery", id: "gallery", role: "group", "aria-label": "Assembly modes" });
  readonly open = button("All modes", "Pictures of the assembly modes with these actuator positions", () => void this.fill());

  constructor(
    private readonly viewer: Viewer,
    private readonly token: string,
    private readonly state: () => LiveState,
    private readonly send: (query: Query) => void,
    private readonly say: (text: string, bad: boolean) => void,
  ) {
    this.open.id = "modes";
  }

  private async fill(): Promise<void> {
    this.say("looking for assembly modes with these actuator positions \u2026", false);
    try {
      const { q, parameters } = this.state();
      const { modes } = await post<{ modes: Mode[] }>("/modes", this.token, { q, parameters });
      this.box.replaceChildren(...modes.map((mode, i) => this.picture(mode, i)));
      this.say(`${modes.length} assembly ${modes.length === 1 ? "mode" : "modes"} found for these actuator positions`, false);
    } catch (fault) {
      this.say((fault as Error).message, true);
    }
    this.viewer.tracks.take(this.state().poses);
    this.viewer.place();
    this.viewer.stage.draw();
  }

  private picture(mode: Mode, i: number): HTMLElement {
    const title = `mode ${i + 1}${mode.branch ? `, branch ${mode.branch}` : ""}`;
    this.viewer.tracks.take(mode.poses);
    this.viewer.place();
    const image = element("img", { src: this.viewer.stage.picture(), alt: title });
    const go = button("", `Go to ${title}`, () => this.send({ q: mode.q }));
    go.append(image, element("span", {}, title));
    return go;
  }
}
