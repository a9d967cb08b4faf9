// The live page: drag the platform or the actuators while every loop stays closed.

import { Object3D } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { Requests, post } from "./requests";
import { keys } from "./controls";
import { Live, LiveState } from "./data";
import { Gallery } from "./gallery";
import { History, Poses, Spot } from "./history";
import { PlatformFields } from "./platform";
import { Pulling } from "./pulling";
import { Units } from "./units";
import { Viewer } from "./viewer";
import { button, element, number } from "./elements";

const KEPT = "linkwright-q";
const REST = 400; // milliseconds without a change after which a pose is remembered and the ranges are computed
const SLOW = 1500; // milliseconds: ranges that take longer are not computed again
const TURN = 2 * Math.PI;
const NEAR = [0.02, 0.1]; // distances to a singularity that are red and orange
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
  readonly units = new Units();
  private readonly history: History;
  private readonly platform: PlatformFields | null = null;
  private resting = 0;
  private ranges = true; // are quick enough to follow the mechanism
  private lost = false;
  private readonly sliders: { range: HTMLInputElement; entry: HTMLInputElement; unit: HTMLElement; effort: HTMLElement; held: boolean }[] = [];
  private readonly dimensions: { range: HTMLInputElement; entry: HTMLInputElement; unit: HTMLElement }[] = [];
  private readonly facts = element("dl", { class: "facts" });
  private readonly message = element("p", { class: "message", role: "status", "aria-live": "polite", id: "message" });
  private readonly limits = element("ul", { class: "limits", id: "limits", "aria-label": "Limits that are broken" });
  private readonly rows: { t: number[]; q: number[][] } = { t: [], q: [] };
  private recording = 0;
  private record!: HTMLButtonElement;
  private download!: HTMLButtonElement;

  constructor(private readonly viewer: Viewer, private readonly live: Live) {
    this.state = live.state;
    this.requests = new Requests(live.token, () => this.state, (s) => this.take(s), (text, lost) => this.failed(text, lost));
    if (live.platform.length) {
      this.grip = this.handled();
      this.platform = new PlatformFields(live.platform, this.units, (query) => this.requests.send(query));
    }
    this.history = new History((spot) => this.go(spot));
    this.units.listen(() => this.read(this.state));
    this.pulling = new Pulling(viewer, (query) => this.requests.send(query), () => Boolean(this.grip?.dragging));
    viewer.side.append(...this.panel());
    const kept = sessionStorage.getItem(KEPT);
    this.take(live.state);
    if (kept) this.restore(kept);
  }

  /** Return to the coordinates the page had before it was loaded again. */
  private restore(kept: string): void {
    void this.requests.now(JSON.parse(kept)).catch(() => sessionStorage.removeItem(KEPT));
  }

  /** Arrows and rings at the platform. */
  private handled(): TransformControls {
    const { stage } = this.viewer;
    const grip = new TransformControls(stage.camera, stage.renderer.domElement);
    stage.scene.add(this.handle, grip.getHelper());
    grip.attach(this.handle);
    grip.setSize(0.8);
    stage.projected = () => (grip.camera = stage.camera);
    grip.addEventListener("change", () => stage.later());
    grip.addEventListener("objectChange", () => this.pull());
    grip.addEventListener("dragging-changed", (event) => {
      stage.controls.enabled = !event.value;
      if (!event.value) this.rest();
    });
    this.offer(grip, this.moves(["x", "y", "z"]) ? "translate" : "rotate");
    return grip;
  }

  private moves(parts: string[]): boolean {
    return parts.some((part) => this.live.platform.includes(part));
  }

  /** Arrows or rings of the freedoms that the platform has. */
  private offer(grip: TransformControls, mode: "translate" | "rotate"): void {
    const parts = mode === "translate" ? ["x", "y", "z"] : ["roll", "pitch", "yaw"];
    grip.setMode(mode);
    [grip.showX, grip.showY, grip.showZ] = parts.map((part) => this.moves([part]));
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
    const spot = (): Spot => ({ q: this.state.q, parameters: this.state.parameters });
    const poses = new Poses(`linkwright-poses ${this.viewer.data.scene.name}`, spot, (query) => this.requests.send(query));
    const gallery = new Gallery(this.viewer, this.live.token, () => this.state, (query) => this.requests.send(query), (text, bad) => this.show(text, bad));
    const tools = this.tools();
    tools.append(gallery.open, this.history.undo, this.history.redo, ...this.units.buttons());
    const pose = this.platform ? [element("h2", {}, "Platform"), this.platform.box] : [];
    const parts = [tools, this.message, this.limits, this.facts, gallery.box, element("h2", {}, "Actuators"), list, ...pose];
    return [...parts, ...this.parameters(), element("h2", {}, "Poses"), poses.box];
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
      const entry = this.units.field(of.unit, title, (x) => this.change(i, x));
      range.addEventListener("input", () => this.change(i, Number(range.value)));
      const unit = element("span", { class: "unit" }, of.unit);
      this.dimensions.push({ range, entry, unit });
      list.append(element("div", { class: "slider" }, element("span", { title: of.name }, of.name), range, entry, unit));
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
    if (this.grip && this.moves(["x", "y", "z"]) && this.moves(["roll", "pitch", "yaw"])) {
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
    this.offer(this.grip!, turning ? "rotate" : "translate");
    pressed.textContent = turning ? "Move" : "Turn";
    this.viewer.stage.later();
  }

  private slider(of: Live["sliders"][number], i: number): HTMLElement {
    const range = element("input", { type: "range", step: "any", "data-live": "true", "aria-label": `${of.name} in ${of.unit}` });
    const entry = this.units.field(of.unit, of.name, (x) => this.drive(i, x));
    const row = { range, entry, unit: element("span", { class: "unit" }), effort: element("output", { class: "effort" }), held: false };
    range.addEventListener("pointerdown", () => (row.held = true));
    range.addEventListener("input", () => this.drive(i, this.unwrapped(i, Number(range.value))));
    for (const end of ["change", "pointerup", "pointercancel"] as const) {
      range.addEventListener(end, () => {
        row.held = false;
        this.read(this.state);
      });
    }
    this.sliders.push(row);
    return element("div", { class: "slider" }, element("span", { title: of.name }, of.name), range, entry, row.unit, row.effort);
  }

  /** Move one actuator; the others stay. */
  private drive(i: number, x: number): void {
    if (!Number.isFinite(x)) return this.read(this.state);
    const actuators = [...this.state.actuators];
    actuators[i] = x;
    this.requests.send({ actuators });
  }

  /** The angle nearest to the present one that a slider of half a turn to each side means. */
  private unwrapped(i: number, x: number): number {
    const now = this.state.actuators[i];
    return this.live.sliders[i].whole ? x + TURN * Math.round((now - x) / TURN) : x;
  }

  /** Go to a pose of the history. */
  private go(spot: Spot): void {
    this.requests.send({ ...spot, scene: this.live.parameters.length > 0 });
  }

  /** When the mechanism has come to rest: remember the pose, and compute what the actuators reach from here. */
  private rested(): void {
    this.history.keep({ q: this.state.q, parameters: this.state.parameters });
    if (this.ranges && this.live.sliders.length) void this.measure();
  }

  private async measure(): Promise<void> {
    const { q, parameters } = this.state;
    const start = performance.now();
    try {
      const { sliders } = await post<{ sliders: Live["sliders"] }>("/ranges", this.live.token, { q, parameters });
      if (this.state.q !== q) return;
      this.live.sliders.splice(0, sliders.length, ...sliders);
      this.read(this.state);
    } catch {
      this.ranges = false;
    }
    if (performance.now() - start > SLOW) this.ranges = false;
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
    sessionStorage.setItem(KEPT, JSON.stringify({ q: state.q, parameters: state.parameters, scene: state.parameters.length > 0 }));
    window.clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.rested(), REST);
    this.viewer.tracks.take(state.poses);
    this.viewer.traces.grow();
    this.viewer.hover.liveQ = state.q;
    this.viewer.efforts.take(state.efforts.map((x) => x ?? NaN), this.viewer.data.scene.extent);
    if (!this.grip?.dragging) this.rest();
    this.show(state.message || (this.lost ? "connected again" : ""), !state.reached && !this.pulling.active);
    this.lost = false;
    this.limits.replaceChildren(...state.limits.map((text) => element("li", {}, text)));
    this.read(state);
    if (this.recording) this.keep(state);
    this.pulling.received(state);
    this.viewer.stage.later();
  }

  private read(state: LiveState): void {
    const pairs: [string, string, string][] = [
      ["branch", state.branch || "none (open chain)", "branch"],
      ...Object.entries(state.singularities).map(([kind, x]): [string, string, string] => [KINDS[kind], number(x, 4), kind.replace(" ", "-")]),
      ["largest closure residual", `${state.gap.toExponential(1)} m`, "gap"],
    ];
    const facts = pairs.flatMap(([name, value, id]) => [element("dt", {}, name), element("dd", { id: `live-${id}` }, value)]);
    this.facts.replaceChildren(element("dt", {}, "distance to a singularity"), element("dd", {}, gauge(state.singularity)), ...facts);
    if (state.platform) this.platform?.show(state.platform);
    this.dimensions.forEach(({ range, entry, unit }, i) => {
      if (document.activeElement !== range) range.value = String(state.parameters[i]);
      this.units.fill(entry, state.parameters[i], this.live.parameters[i].unit);
      unit.textContent = this.units.name(this.live.parameters[i].unit);
    });
    this.sliders.forEach((row, i) => this.readSlider(row, i, state));
  }

  /** A slider shows the value that the mechanism has, but while somebody moves it. */
  private readSlider(row: LivePage["sliders"][number], i: number, state: LiveState): void {
    const { name, unit, low, high, whole } = this.live.sliders[i];
    const x = state.actuators[i];
    const shown = whole ? x - TURN * Math.round(x / TURN) : x;
    if (!row.held) {
      row.range.min = String(whole ? -Math.PI : Math.min(low, x));
      row.range.max = String(whole ? Math.PI : Math.max(high, x));
      row.range.value = String(shown);
    }
    this.units.fill(row.entry, x, unit);
    row.range.setAttribute("aria-valuetext", this.units.text(x, unit));
    row.range.title = whole ? "turns all the way round" : `reaches ${this.units.text(low, unit, 4)} to ${this.units.text(high, unit, 4)}`;
    row.unit.textContent = this.units.name(unit);
    row.effort.textContent = this.units.text(state.efforts[i], unit === "m" ? "N" : "N m", 4);
    const joint = this.viewer.data.scene.efforts[i].joint;
    row.range.parentElement!.classList.toggle("over", state.limits.some((text) => text.includes(`'${joint}'`) || text.includes(`'${name}'`)));
  }

  /** What a failed request leaves: the sliders return to the values that the mechanism has. */
  private failed(text: string, lost: boolean): void {
    this.lost = lost;
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

/** A colored bar with the number beside it. */
function gauge(x: number): HTMLElement {
  const kind = x < NEAR[0] ? "bad" : x < NEAR[1] ? "close" : "good";
  const bar = element("span", { class: `gauge ${kind}`, role: "meter", "aria-label": "Distance to a singularity", "aria-valuemin": "0", "aria-valuemax": "1", "aria-valuenow": x.toFixed(3) });
  const fill = element("span");
  fill.style.width = `${Math.max(2, 100 * Math.min(x, 1))}%`;
  bar.append(fill);
  return element("span", { class: "measured" }, bar, element("span", { id: "live-singularity" }, number(x, 4)));
}
