// Buttons, slider and keys.

import { Clock, SPEEDS } from "./clock";
import { button, element, number } from "./elements";
import { icon } from "./icons";

/** Play, slider, time and speed. */
export class Transport {
  readonly bar = element("div", { class: "transport", role: "group", "aria-label": "Time" });
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private shown: boolean | null = null;
  private readonly read = element("output", { class: "time", "aria-label": "Present time" });

  constructor(private readonly clock: Clock, private readonly states = 0) {
    this.play = button("", "Play or pause (space)", () => clock.toggle());
    this.play.id = "play";
    this.slider = element("input", {
      type: "range", id: "slider", min: String(clock.start), max: String(clock.end), step: "any", "aria-label": states ? "State" : "Time in seconds",
    });
    this.slider.addEventListener("input", () => clock.seek(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => {
      if (event.key.startsWith("Arrow")) event.preventDefault();
    });
    this.bar.append(this.play, this.slider, this.read, this.speeds());
    this.bar.hidden = clock.still;
  }

  private speeds(): HTMLElement {
    const select = element("select", { id: "speed", "aria-label": "Speed of play" });
    for (const speed of SPEEDS) select.append(element("option", speed === 1 ? { value: "1", selected: "" } : { value: String(speed) }, `${speed}\u00D7`));
    select.addEventListener("change", () => (this.clock.speed = Number(select.value)));
    return select;
  }

  show(): void {
    if (this.shown !== this.clock.playing) this.play.replaceChildren(icon(this.clock.playing ? "pause" : "play"));
    this.shown = this.clock.playing;
    this.slider.value = String(this.clock.time);
    const { time, start, end } = this.clock, nearest = 1 + Math.round(((this.states - 1) * (time - start)) / (end - start || 1));
    this.slider.setAttribute("aria-valuetext", this.states ? `state ${nearest} of ${this.states}` : `${number(time, 4)} seconds`);
    this.read.textContent = this.states ? `${nearest} of ${this.states}` : `${time.toFixed(3)} s`;
  }
}

export interface Layer {
  key: string;
  label: string;
  on: boolean;
  set: (on: boolean) => void;
}

/** A check box for every layer, unfolded where the drawing is wide. */
export function layerPanel(layers: Layer[], wide: number): HTMLDetailsElement {
  const list = element("div", { class: "layers", role: "group", "aria-label": "Layers" });
  for (const layer of layers) {
    const box = element("input", { type: "checkbox", id: `layer-${layer.key}` });
    box.checked = layer.on;
    layer.set(layer.on);
    box.addEventListener("change", () => layer.set(box.checked));
    list.append(element("label", {}, box, ` ${layer.label}`));
  }
  const fold = element("details", { class: "fold" }, element("summary", {}, "Layers"), list);
  fold.open = wide > 600;
  return fold;
}

/** Keys that work wherever the focus is not in a field of its own. */
export function keys(actions: Record<string, () => void>): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const on = event.target as HTMLElement;
    const typing = on.tagName === "SELECT" || on.tagName === "TEXTAREA" || (on instanceof HTMLInputElement && !["range", "checkbox", "radio"].includes(on.type));
    const pressing = event.key === " " && (on.tagName === "BUTTON" || on.tagName === "SUMMARY" || on instanceof HTMLInputElement && ["checkbox", "radio"].includes(on.type));
    const action = actions[event.key];
    if (!action || typing || pressing) return;
    if (on instanceof HTMLInputElement && (on.dataset.live || on.type === "radio") && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    action();
  });
}
