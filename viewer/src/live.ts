// The live page: drag the platform or the actuators while every loop stays closed.

import { Object3D } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { Requests, post } from "./requests";
import { keys } from "./controls";
import { Live, LiveState } from "./data";
import { Pulling } from "./pulling";
import { Viewer } from "./viewer";
import { button, element, number } from "./elements";

const KEPT = "linkwright-q";
const KINDS: Record<string, string> = {
  "type 1": "\u2013 type 1: a leg stretched or folded",
  "type 2": "\u2013 type 2: moves with locked actuators",
  constraint: "\u2013 of the closure equations",
};

export class LivePage {
  state: LiveState;
  readonly requests: Requests;
  private readonly handle = new Object3D();
  private readonly grip: TransformControls | null = null;
  readonly pulling: Pulling;
  private readonly sliders: { range: HTMLInputElement; read: HTMLElement; effort: HTMLElement }[] = [];
  private readonly dimensions: { range: HTMLInputElement; entry: HTMLInputElement }[] = [];
  private readonly facts = element("dl", { class: "facts" });
  private readonly message = element("p", { class: "message", role: "status", "aria-live": "polite", id: "message" });
  private readonly limits = element("ul", { class: "limits", id: "limits", "aria-label": "Limits that are broken" });
  private readonly rows: { t: number[]; q: number[][] } = { t: [], q: [] };
  private recording = 0;
  private record!: HTMLButtonElement;
  private download!: HTMLButtonElement;

  constructor(private readonly viewer: Viewer, private readonly live: Live) {
    this.state = live.state;
    this.requests = new Requests(live.token, () => this.state, (s) => this.take(s), (text) => this.failed(text));
    if (live.platform) this.grip = this.handled();
    this.pulling = new Pulling(viewer, (query) => this.requests.send(query), () => Boolean(this.grip?.dragging));
    viewer.side.append(...this.panel());
    const kept = sessionStorage.getItem(KEPT);
    this.take(live.state);
    if (kept) this.restore(kept);
  }

  /** Return to the coordinates the page had before it was loaded again. */
  private restore(kept: string): void {
    void this.requests.now({ q: JSON.parse(kept) }).catch(() => sessionStorage.removeItem(KEPT));
  }

  /** Arrows and rings at the platform. */
  private handled(): TransformControls {
    const { stage } = this.viewer;
    const grip = new TransformControls(stage.camera, stage.renderer.domElement);
    stage.scene.add(this.handle, grip.getHelper());
    grip.attach(this.handle);
    grip.setSize(0.8);
    grip.addEventListener("change", () => stage.later());
    grip.addEventListener("objectChange", () => this.pull());
    grip.addEventListener("dragging-changed", (event) => {
      stage.controls.enabled = !event.value;
      if (!event.value) this.rest();
    });
    return grip;
  }

  private pull(): void {
    const { position: r, quaternion: R } = this.handle;
    const turning = this.grip!.mode === "rotate";
    this.requests.send({ pose: [r.x, r.y, r.z, R.w, R.x, R.y, R.z], turning });
  }

  /** The handle returns to where the platform is. */
  private rest(): void {
    const pose = this.state.platform;
    if (!pose) return;
    this.handle.position.fromArray(pose);
    this.handle.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
    this.viewer.stage.later();
  }

  private panel(): HTMLElement[] {
    const list = element("div", { class: "sliders", role: "group", "aria-label": "Actuators" });
    this.live.sliders.forEach((slider, i) => list.append(this.slider(slider, i)));
    return [this.tools(), this.message, this.limits, this.facts, element("h2", {}, "Actuators"), list, ...this.parameters()];
  }

  /** Sliders of the file's parameters: lengths, masses, angles change while the loops stay closed. */
  private parameters(): HTMLElement[] {
    if (!this.live.parameters.length) return [];
    const list = element("div", { class: "sliders", role: "group", "aria-label": "Parameters", id: "parameters" });
    this.live.parameters.forEach((of, i) => {
      const title = `${of.name}${of.unit ? ` in ${of.unit}` : ""}`;
      const range = element("input", {
        type: "range", min: String(of.low), max: String(of.high), step: "any", "data-live": "true", "aria-label": title,
      });
      const entry = element("input", { type: "number", step: "any", class: "entry", "aria-label": `${title}, as a number` });
      range.addEventListener("input", () => this.change(i, Number(range.value)));
      entry.addEventListener("change", () => this.change(i, entry.valueAsNumber));
      this.dimensions.push({ range, entry });
      list.append(element("label", { class: "slider" }, element("span", { title: of.name }, of.name), range, entry, element("span", { class: "unit" }, of.unit)));
    });
    const reset = button("File's values", "Back to the parameters of the file", () => this.requests.send({ parameters: this.live.state.parameters, scene: true }));
    reset.id = "nominal";
    return [element("h2", {}, "Parameters"), list, element("div", { class: "tools" }, reset)];
  }

  private change(i: number, value: number): void {
    if (!Number.isFinite(value)) return this.read(this.state);
    const parameters = [...this.state.parameters];
    parameters[i] = value;
    this.requests.send({ parameters, scene: true });
  }

  private tools(): HTMLElement {
    const bar = element("div", { class: "tools", role: "toolbar", "aria-label": "Live" });
    if (this.grip) {
      const turn = button("Turn", "Change the handle between moving and turning (r)", () => this.turn(turn));
      turn.id = "turn";
      keys({ r: () => this.turn(turn) });
      bar.append(turn);
    }
    const mode = button("Other mode", "Go to another assembly mode with the same actuator positions", () => this.requests.send({ mode: true }));
    mode.id = "mode";
    this.record = button("Record", "Record the motion, or stop recording", () => this.toggleRecording());
    this.record.id = "record";
    this.download = button("Save study", "Save the recorded motion as a study file", () => void this.saveStudy());
    this.download.id = "study";
    this.download.disabled = true;
    const home = button("Home pose", "Back to the home configuration", () => this.goHome());
    home.id = "home";
    bar.append(mode, home, this.record, this.download);
    return bar;
  }

  private turn(pressed: HTMLButtonElement): void {
    const turning = this.grip!.mode === "translate";
    this.grip!.setMode(turning ? "rotate" : "translate");
    pressed.textContent = turning ? "Move" : "Turn";
    this.viewer.stage.later();
  }

  private slider(of: Live["sliders"][number], i: number): HTMLElement {
    const range = element("input", {
      type: "range", min: String(of.low), max: String(of.high), step: "any", "data-live": "true", "aria-label": `${of.name} in ${of.unit}`,
    });
    range.addEventListener("input", () => {
      const actuators = [...this.state.actuators];
      actuators[i] = Number(range.value);
      this.requests.send({ actuators });
    });
    const [read, effort] = [element("output", {}), element("output", { class: "effort" })];
    this.sliders.push({ range, read, effort });
    return element("label", { class: "slider" }, element("span", { title: of.name }, of.name), range, read, effort);
  }

  private goHome(): void {
    if (this.live.parameters.length) this.requests.send({ q: this.live.state.q });
    else this.take(this.live.state);
    this.show("back at the home configuration", false);
  }

  /** Show a new state everywhere. */
  private take(state: LiveState): void {
    this.state = state;
    if (state.scene) this.viewer.rebuild(state.scene);
    sessionStorage.setItem(KEPT, JSON.stringify(state.q));
    this.viewer.tracks.take(state.poses);
    this.viewer.hover.liveQ = state.q;
    this.viewer.efforts.take(state.efforts.map((x) => x ?? NaN), this.viewer.data.scene.extent);
    if (!this.grip?.dragging) this.rest();
    this.show(state.message, !state.reached && !this.pulling.active);
    this.limits.replaceChildren(...state.limits.map((text) => element("li", {}, text)));
    this.read(state);
    if (this.recording) this.keep(state);
    this.pulling.received(state);
    this.viewer.stage.later();
  }

  private read(state: LiveState): void {
    const pairs: [string, string, string][] = [
      ["branch", state.branch || "none (open chain)", "branch"],
      ["distance to a singularity", number(state.singularity, 4), "singularity"],
      ...Object.entries(state.singularities).map(([kind, x]): [string, string, string] => [KINDS[kind], number(x, 4), kind.replace(" ", "-")]),
      ["largest closure residual", `${state.gap.toExponential(1)} m`, "gap"],
    ];
    if (state.platform) pairs.push(["platform", `${state.platform.slice(0, 3).map((x) => number(x, 4)).join(", ")} m`, "platform"]);
    this.facts.replaceChildren(...pairs.flatMap(([name, value, id]) => [element("dt", {}, name), element("dd", { id: `live-${id}` }, value)]));
    this.dimensions.forEach(({ range, entry }, i) => {
      if (document.activeElement !== range) range.value = String(state.parameters[i]);
      if (document.activeElement !== entry) entry.value = String(Number(state.parameters[i].toPrecision(8)));
    });
    this.sliders.forEach(({ range, read, effort }, i) => {
      const { name, unit } = this.live.sliders[i];
      if (document.activeElement !== range) range.value = String(state.actuators[i]);
      read.textContent = `${number(state.actuators[i], 4)} ${unit}`;
      effort.textContent = state.efforts[i] === null ? "\u2013" : `${number(state.efforts[i], 4)} ${unit === "m" ? "N" : "N m"}`;
      const joint = this.viewer.data.scene.efforts[i].joint;
      range.parentElement!.classList.toggle("over", state.limits.some((text) => text.includes(`'${joint}'`) || text.includes(`'${name}'`)));
    });
  }

  /** What a failed request leaves: the sliders return to the values that the mechanism has. */
  private failed(text: string): void {
    this.show(text, true);
    this.read(this.state);
  }

  private show(text: string, bad: boolean): void {
    this.message.textContent = text;
    this.message.classList.toggle("over", bad && text !== "");
  }

  private toggleRecording(): void {
    if (this.recording) {
      this.recording = 0;
      this.record.textContent = "Record";
      this.download.disabled = this.rows.t.length < 3;
      return;
    }
    this.rows.t.length = this.rows.q.length = 0;
    this.recording = performance.now();
    this.record.textContent = "Stop";
    this.keep(this.state);
  }

  private keep(state: LiveState): void {
    const t = (performance.now() - this.recording) / 1000;
    const last = this.rows.t.at(-1);
    if (last !== undefined && t <= last) return;
    this.rows.t.push(t);
    this.rows.q.push(state.q);
  }

  private async saveStudy(): Promise<void> {
    try {
      const { text } = await post<{ text: string }>("/study", this.live.token, this.rows);
      const address = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
      element("a", { href: address, download: "study.yaml" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    } catch (fault) {
      this.show((fault as Error).message, true);
    }
  }
}
