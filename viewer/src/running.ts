// The bar below the drawing while the mechanism is in the reader's hands: let go, pause, step, back.

import { SPEEDS } from "./clock";
import { button, element } from "./elements";
import { icon } from "./icons";
import type { Play } from "./play";

const BEGIN = { free: "Let go", locked: "Run", driven: "Run" };

export class RunBar {
  readonly bar = element("div", { class: "transport run", role: "group", "aria-label": "Run" });
  private readonly letGo: HTMLButtonElement;
  private readonly back: HTMLButtonElement;
  private readonly read = element("output", { class: "time", "aria-label": "Time of the run" });
  private readonly takeOver: HTMLButtonElement;
  private label = "";

  constructor(private readonly play: Play) {
    const { viewer } = play;
    this.letGo = button("", "Let the mechanism go, or stop it (space)", () => play.toggle());
    const step = button("", "One step of a sixtieth of a second (.)", () => play.step());
    step.append(icon("step"));
    this.back = button("", "Back to where it was let go (b)", () => play.back());
    this.back.append(icon("back"));
    const leave = button("", "Back to the recorded motion", () => play.leave());
    leave.append(icon("film"), element("span", {}, " Recording"));
    leave.setAttribute("aria-label", "Recording: back to the recorded motion");
    leave.hidden = viewer.clock.still;
    Object.assign(this.letGo, { id: "let-go", className: "main" });
    [step.id, this.back.id, leave.id] = ["step", "back", "leave"];
    this.bar.append(this.letGo, step, this.back, this.read, this.speeds(), element("span", { class: "space" }), leave);
    this.takeOver = button("Take over", "Play with the mechanism from this instant on (t)", () => play.take());
    this.takeOver.id = "take-over";
    viewer.transport.bar.append(this.takeOver);
    viewer.transport.bar.after(this.bar);
    this.bar.hidden = true;
  }

  private speeds(): HTMLElement {
    const select = element("select", { id: "run-speed", "aria-label": "Speed of the run" });
    for (const speed of SPEEDS.filter((x) => x <= 1)) {
      select.append(element("option", speed === 1 ? { value: "1", selected: "" } : { value: String(speed) }, `${speed}\u00D7`));
    }
    select.addEventListener("change", () => (this.play.speed = Number(select.value)));
    return select;
  }

  show(): void {
    const { play } = this, { viewer } = play;
    this.bar.hidden = !play.shown;
    viewer.transport.bar.hidden = play.shown || viewer.clock.still;
    this.back.disabled = !play.inRun;
    const label = play.running ? "Pause" : play.inRun ? "Go on" : BEGIN[play.options.motors];
    if (label !== this.label) {
      this.letGo.replaceChildren(icon(play.running ? "pause" : "play"), ` ${label}`);
      this.letGo.setAttribute("aria-label", `${label}: ${this.letGo.title}`);
    }
    this.label = label;
    this.time();
  }

  time(): void {
    this.read.textContent = `${this.play.time.toFixed(2)} s`;
  }
}
