// The mechanism in the reader's hands: dragged, typed, let go and pushed; the drawing follows the engine.

import { unpacked } from "./data";
import type { Engine, Motion, Outcome, RunOptions } from "./engine/engine";
import type { SceneShape } from "./engine/scene_shape";
import { History, Spot } from "./history";
import { RunBar } from "./running";
import { sampleAt } from "./sampling";
import { Units } from "./units";
import { Viewer } from "./viewer";
import { element, write } from "./elements";

const REST = 400; // [ms] without a change after which a pose is remembered and the ranges are computed
const READ = 90; // [ms] between two readings of the numbers while something moves
const LONGEST = 0.05; // [s] of one picture, when the browser is late
const STEP = 1 / 60; // [s] of a single step

export interface Part {
  /** Bring a part of the panel to the state of the engine. */
  read(): void;
}

export class Play {
  readonly units = new Units();
  readonly history: History;
  readonly bar: RunBar;
  readonly options: RunOptions = { gravity: true, stops: true, motors: "free" };
  readonly laws: (Motion | null)[];
  readonly parts: Part[] = [];
  shown = false; // the drawing shows the engine and not the recorded motion
  running = false;
  acts: (() => void)[] = []; // called before every picture
  rested: (() => void)[] = []; // called when the mechanism has come to rest
  speed = 1;
  private begun: { q: Float64Array; v: Float64Array } | null = null; // where the run began
  private earlier = 0; // time before the engine began the last time
  private resting = 0;
  private lastRead = 0;
  private last = 0; // time of the last picture
  private readonly chip = element("p", { class: "chip", role: "status", "aria-live": "polite", id: "message" });

  constructor(readonly viewer: Viewer, readonly engine: Engine, private readonly shape: SceneShape | null) {
    this.laws = Array(engine.state.actuators.length).fill(null);
    this.history = new History((spot) => this.goTo(spot));
    this.bar = new RunBar(this);
    viewer.view.append(this.chip);
    this.say("Drag any part of it.", false);
  }

  get data() {
    return this.viewer.data;
  }

  get time(): number {
    return this.begun ? this.earlier + this.engine.state.t : 0;
  }

  /** True from letting go until the mechanism is taken into the hand again. */
  get inRun(): boolean {
    return this.begun !== null;
  }

  get spot(): Spot {
    return { q: Array.from(this.engine.state.q), parameters: Array.from(this.engine.parameters) };
  }

  /** Take the mechanism over from the recorded motion, at its present instant. */
  take(): void {
    if (this.shown) return;
    this.viewer.clock.pause();
    this.follow();
    this.shown = true;
    this.viewer.turnToPlay();
    this.viewer.traces.follow(true);
    this.history.keep(this.spot);
    this.bar.show();
    this.changed();
  }

  /** Show the recorded motion again. */
  leave(): void {
    this.endRun();
    this.shown = false;
    this.viewer.traces.follow(false);
    this.say("", false);
    this.bar.show();
    this.viewer.stage.later();
  }

  /** Bring the engine to the instant of the recorded motion. */
  follow(): void {
    const { hover, clock } = this.viewer;
    const q = hover.recorded(clock.time);
    if (q.every(Number.isFinite)) this.engine.setState(q, this.recordedSpeed(clock.time));
  }

  /** Velocities of the recorded motion at a time. */
  private recordedSpeed(time: number): number[] {
    const { v, q, t } = this.data, width = this.engine.state.v.length;
    if (v) {
      const rows = unpacked(v), [i, share] = sampleAt(unpacked(t), time);
      const at = (row: number, k: number) => rows[row * width + k];
      return Array.from({ length: width }, (_, k) => at(i, k) + (share > 0 ? share * (at(i + 1, k) - at(i, k)) : 0));
    }
    const { clock, hover } = this.viewer, h = 1e-3 * (clock.end - clock.start);
    if (clock.still || q.shape[1] !== width) return Array(width).fill(0);
    const [a, b] = [Math.max(clock.start, time - h), Math.min(clock.end, time + h)];
    const before = hover.recorded(a);
    const found = hover.recorded(b).map((x, k) => (x - before[k]) / (b - a));
    return found.every(Number.isFinite) ? found : Array(width).fill(0);
  }

  /** Do something by hand: a run ends, and the mechanism is at rest. */
  hand(act: () => Outcome): void {
    this.take();
    this.endRun();
    if (this.engine.state.v.some((x) => x !== 0)) this.engine.setState(this.engine.state.q.slice());
    const found = act();
    this.say(found.reached ? "" : found.message, !found.reached && !found.boundary);
    this.changed();
  }

  goTo(spot: Spot): void {
    this.hand(() => {
      const other = spot.parameters.some((x, i) => x !== this.engine.parameters[i]);
      const set = other ? this.reshape(spot.parameters) : null;
      return set && !set.reached ? set : this.engine.setState(spot.q);
    });
  }

  /** Other dimensions; the drawing follows. */
  private reshape(parameters: number[]): Outcome {
    const found = this.engine.setParameters(parameters);
    if (this.shape) this.viewer.reshape(this.shape.at(this.engine.parameters));
    return found;
  }

  setParameters(parameters: number[]): void {
    this.hand(() => this.reshape(parameters));
  }

  goHome(): void {
    this.goTo({ q: this.data.engine!.home, parameters: this.spot.parameters });
    if (!this.chip.textContent) this.say("Back at the home position.", false);
  }

  /** Let go, go on, or stop for a while. */
  toggle(): void {
    if (this.running) this.pause();
    else this.go();
  }

  go(): void {
    this.take();
    if (!this.begun) this.begin();
    this.running = true;
    this.last = performance.now();
    this.say("", false);
    this.bar.show();
    this.viewer.stage.later();
  }

  pause(): void {
    this.running = false;
    this.bar.show();
    this.changed();
  }

  /** One step of a sixtieth of a second. */
  step(): void {
    this.take();
    if (!this.begun) this.begin();
    this.running = false;
    this.advance(STEP * this.speed);
    this.bar.show();
    this.changed();
  }

  private begin(): void {
    const { q, v } = this.engine.state;
    this.begun = { q: q.slice(), v: v.slice() };
    this.earlier = 0;
    this.engine.start(this.options);
  }

  /** What acts has changed: a run goes on with it. */
  restart(): void {
    this.laws.forEach((law, i) => this.engine.motion(i, this.options.motors === "driven" ? law : null));
    if (!this.begun) return;
    this.earlier += this.engine.state.t;
    this.engine.start(this.options);
  }

  /** Back to where the mechanism was let go. */
  back(): void {
    if (!this.begun) return;
    const { q, v } = this.begun;
    this.endRun();
    this.engine.setState(q, v);
    this.viewer.traces.restart();
    this.say("Back to where it was let go.", false);
    this.changed();
  }

  private endRun(): void {
    if (!this.begun) return;
    this.begun = null;
    this.running = false;
    this.bar.show();
  }

  private advance(dt: number): void {
    const found = this.engine.advance(dt);
    if (found.reached) return;
    this.running = false;
    this.say(found.message, true);
  }

  /** Called before every picture. */
  place(now = performance.now()): void {
    if (!this.shown) {
      this.follow();
      if (now - this.lastRead > READ) this.read();
      return;
    }
    if (this.running) {
      for (const act of this.acts) act();
      this.advance(this.speed * Math.min(Math.max(now - this.last, 0) / 1000, LONGEST));
      this.last = now;
      if (this.running) this.viewer.stage.later();
      else this.bar.show();
      this.recorded();
    } else for (const act of this.acts) act();
    this.showState();
    if (!this.running || now - this.lastRead > READ) this.read();
  }

  /** The drawing at the state of the engine. */
  private showState(): void {
    const { viewer } = this, { state } = this.engine;
    viewer.tracks.take(state.poses);
    viewer.traces.grow();
    viewer.hover.liveQ = state.q;
    viewer.efforts.take(state.efforts, viewer.data.scene.extent);
    this.bar.time();
  }

  /** Called with every picture of a run. */
  recorded: () => void = () => undefined;

  private read(): void {
    this.lastRead = performance.now();
    for (const part of this.parts) part.read();
  }

  /** The state is another one. */
  changed(): void {
    window.clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.rest(), REST);
    this.viewer.stage.later();
  }

  /** The mechanism has come to rest in the hand: remember the pose, and compute what the actuators reach from here. */
  private rest(): void {
    if (this.inRun || !this.shown) return;
    this.history.keep(this.spot);
    for (const act of this.rested) act();
  }

  /** Tell the reader something, as a sentence over the drawing. */
  say(text: string, bad: boolean): void {
    write(this.chip, text && `${text[0].toUpperCase()}${text.slice(1)}${/[.:!?]$/.test(text) ? "" : "."}`);
    this.chip.classList.toggle("over", bad && text !== "");
    this.chip.hidden = text === "";
  }
}
