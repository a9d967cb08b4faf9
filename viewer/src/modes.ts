// Small pictures of all assembly modes with the present actuator positions; a press goes there.

import { button, element } from "./elements";
import type { Play } from "./play";

const WIDTH = 132; // pixels

export class Modes {
  readonly open = button("Show all", "Pictures of the assembly modes with these actuator positions (m)", () => this.fill());
  readonly box = element("div", { class: "gallery", id: "gallery", role: "group", "aria-label": "Assembly modes" });

  constructor(private readonly play: Play) {
    this.open.id = "modes";
  }

  fill(): void {
    const { play } = this, { viewer, engine } = play;
    play.take();
    const modes = engine.assemblyModes();
    this.box.replaceChildren(...modes.map(({ q, current }, i) => this.picture(q, current, i)));
    play.say(modes.length === 1 ? "There is no other assembly mode with these actuator positions." : `${modes.length} assembly modes have these actuator positions.`, false);
    viewer.stage.later();
  }

  private picture(q: Float64Array, current: boolean, i: number): HTMLElement {
    const { play } = this, { stage, tracks } = play.viewer, title = `mode ${i + 1}${current ? ", this one" : ""}`;
    tracks.take(play.engine.posesAt(q));
    play.viewer.placeBodies();
    stage.draw();
    const from = stage.renderer.domElement, share = WIDTH / from.width;
    const picture = element("canvas", { width: String(2 * WIDTH), height: String(Math.round(2 * share * from.height)), role: "img", "aria-label": title });
    picture.getContext("2d")!.drawImage(from, 0, 0, picture.width, picture.height);
    const made = button("", `Go to ${title}`, () => {
      play.goTo({ ...play.spot, q: Array.from(q) });
      for (const other of this.box.querySelectorAll("button")) other.classList.toggle("chosen", other === made);
    });
    made.classList.toggle("chosen", current);
    made.append(picture, element("span", {}, title));
    return made;
  }
}
