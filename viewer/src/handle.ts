// Arrows and rings at the platform, and its pose as numbers that can be entered.

import { Euler, Object3D, Quaternion } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { keys } from "./controls";
import { button, element } from "./elements";
import type { Play } from "./play";

const PARTS = ["x", "y", "z", "roll", "pitch", "yaw"];
const AXES = { translate: PARTS.slice(0, 3), rotate: PARTS.slice(3) };
const TRIAL = 0.05; // [rad, or shares of the size] of every actuator, to see what the platform can do
const STILL = 1e-6; // [rad, or shares of the size]: smaller changes are none
const unit = (part: string): string => (AXES.translate.includes(part) ? "m" : "rad");

/** Position, and roll, pitch and yaw. */
function numbersOf(pose: ArrayLike<number>): number[] {
  const turn = new Euler().setFromQuaternion(new Quaternion(pose[4], pose[5], pose[6], pose[3]), "ZYX");
  return [pose[0], pose[1], pose[2], turn.x, turn.y, turn.z];
}

/** The parts of the platform's pose that its actuators can change; all where none does. */
function movingParts({ engine, data }: Play): string[] {
  const { units } = data.engine!.actuators, q = engine.state.q.slice();
  const home = numbersOf(engine.state.platform!), moves = Array(6).fill(false);
  units.forEach((size, i) => {
    for (const by of [TRIAL, -TRIAL]) {
      engine.drive(i, engine.state.actuators[i] + by * size);
      numbersOf(engine.state.platform!).forEach((x, k) => {
        const off = k < 3 ? (x - home[k]) / data.scene.extent : Math.sin((x - home[k]) / 2);
        moves[k] ||= Math.abs(off) > STILL;
      });
      engine.setState(q);
    }
  });
  return PARTS.filter((_, k) => moves[k] || !moves.includes(true));
}

export class Handle {
  readonly box = element("div", { class: "pose-fields", role: "group", "aria-label": "Pose of the platform", id: "platform" });
  readonly turn: HTMLButtonElement | null = null;
  readonly grip: TransformControls;
  private readonly spot = new Object3D();
  private readonly parts: string[];
  private readonly fields: { k: number; entry: HTMLInputElement; name: HTMLElement }[];
  private values: number[] = [];

  constructor(private readonly play: Play) {
    const { stage } = play.viewer;
    this.parts = movingParts(play);
    this.grip = new TransformControls(stage.camera, stage.renderer.domElement);
    stage.scene.add(this.spot, this.grip.getHelper());
    this.grip.attach(this.spot);
    this.grip.setSize(0.7);
    stage.projected = () => (this.grip.camera = stage.camera);
    this.grip.addEventListener("change", () => stage.later());
    this.grip.addEventListener("objectChange", () => this.pull());
    this.grip.addEventListener("dragging-changed", (event) => {
      stage.controls.enabled = !event.value;
      if (!event.value) play.changed();
    });
    this.fields = this.parts.map((part) => this.field(part));
    this.offer(this.can("translate") ? "translate" : "rotate");
    if (this.can("translate") && this.can("rotate")) {
      this.turn = button("", "Change the handle between moving and turning (r)", () => this.change());
      this.turn.id = "turn";
      this.name("Turn");
      keys({ r: () => this.change() });
    }
    play.parts.push(this);
    play.acts.push(() => this.place());
    this.place();
  }

  private can(mode: "translate" | "rotate"): boolean {
    return AXES[mode].some((part) => this.parts.includes(part));
  }

  private change(): void {
    const next = this.grip.mode === "translate" ? "rotate" : "translate";
    this.offer(next);
    this.name(next === "rotate" ? "Move" : "Turn");
    this.play.viewer.stage.later();
  }

  private name(label: string): void {
    this.turn!.textContent = label;
    this.turn!.setAttribute("aria-label", `${label}: ${this.turn!.title}`);
  }

  /** Arrows or rings of the freedoms that the platform has. */
  private offer(mode: "translate" | "rotate"): void {
    this.grip.setMode(mode);
    [this.grip.showX, this.grip.showY, this.grip.showZ] = AXES[mode].map((part) => this.parts.includes(part));
  }

  private pull(): void {
    const { position: r, quaternion: R } = this.spot;
    this.go([r.x, r.y, r.z, R.w, R.x, R.y, R.z], this.grip.mode === "rotate");
  }

  private go(pose: number[], turning: boolean): void {
    this.play.hand(() => this.play.engine.pullPlatform(pose, turning));
  }

  /** The handle where the platform is, unless it is being moved. */
  place(): void {
    const { play, grip } = this, pose = play.engine.state.platform!;
    const offered = play.shown && !play.inRun;
    grip.enabled = offered;
    grip.getHelper().visible = offered;
    if (grip.dragging) return;
    this.spot.position.fromArray(pose);
    this.spot.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
  }

  private field(part: string): Handle["fields"][number] {
    const k = PARTS.indexOf(part), entry = this.play.units.field(unit(part), `${part} of the platform`, (x) => this.enter(k, x));
    const name = element("span", {}, part);
    this.box.append(element("label", {}, name, entry));
    return { k, entry, name };
  }

  read(): void {
    const { units, engine } = this.play;
    this.values = numbersOf(engine.state.platform!);
    for (const { k, entry, name } of this.fields) {
      units.fill(entry, this.values[k], unit(PARTS[k]));
      name.textContent = `${PARTS[k]} [${units.name(unit(PARTS[k]))}]`;
    }
  }

  private enter(k: number, x: number): void {
    if (!Number.isFinite(x)) return this.read();
    const values = this.values.map((old, i) => (i === k ? x : old));
    const R = new Quaternion().setFromEuler(new Euler(values[3], values[4], values[5], "ZYX"));
    this.go([...values.slice(0, 3), R.w, R.x, R.y, R.z], k > 2);
  }
}
