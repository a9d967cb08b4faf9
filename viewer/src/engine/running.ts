// The engine of a page: one state of the mechanism, moved by closing its loops and by stepping its dynamics.

import { Actuation } from "./actuation";
import { Dragging } from "./dragging";
import { findModes } from "./modes";
import { MotionReadouts } from "./motion";
import { Readouts, Singularity } from "./readouts";
import type { Engine, EngineState, Motion, Outcome, Reach, RunOptions } from "./engine";
import type { EngineData, Runtime } from "./runtime";

const CLOSED = 1e-12; // a gap below is closed [m]
const ACCEPTED = 1e-9; // what rounding leaves of a gap at most
const MOST_STEPS = 20; // of Newton's method
const LARGEST_TURN = 0.1; // of an actuator at once [rad, or shares of the length]
const LEAST_TURN = 1e-7; // shorter ones are not tried
const FAR = 0.5; // a Newton step above leaves the branch [rad, or shares of the length]
const LEAST_SHARE = 1 / 64; // of the way to other parameters
const REACH_STEPS = 72; // of the way that is looked at
const BUDGET = 20000; // steps of one picture
const GOING = 0, DONE = 1, UNDERFLOW = 3, FULL_LIST = 6, EXAMINE = 7;

const REACHED: Outcome = { reached: true, boundary: false, message: "" };

/** What is shown of a state; each read-out is computed when it is asked for, once for a state. */
class ShownState implements EngineState {
  t = 0;
  acting: Float64Array | null = null; // efforts during a run
  private known = new Map<string, unknown>();

  constructor(
    private readonly data: EngineData,
    private readonly runtime: Runtime,
    private readonly actuation: Actuation,
    private readonly readouts: Readouts,
    private readonly motions: MotionReadouts,
    readonly q: Float64Array,
    readonly v: Float64Array,
  ) {}

  changed(): void {
    this.known.clear();
  }

  private once<T>(name: string, make: () => T): T {
    if (!this.known.has(name)) this.known.set(name, make());
    return this.known.get(name) as T;
  }

  get poses(): Float64Array {
    return this.once("poses", () => this.posesAt(this.q));
  }

  posesAt(q: ArrayLike<number>): Float64Array {
    const program = this.runtime.program("poses"), n = this.data.sizes.bodies, found = new Float64Array(7 * n);
    program.inputs.q.set(q);
    program.run();
    for (let i = 0; i < n; i++) {
      found.set(program.outputs.out0.subarray(3 * i, 3 * i + 3), 7 * i);
      found.set(program.outputs.out1.subarray(4 * i, 4 * i + 4), 7 * i + 3);
    }
    return found;
  }

  get actuators(): Float64Array {
    return this.once("actuators", () => this.actuation.positions(this.q));
  }

  get efforts(): Float64Array {
    return this.once("efforts", () => {
      if (this.acting !== null) return this.acting;
      if (!this.runtime.has("inverse_dynamics")) return new Float64Array(this.data.sizes.actuators).fill(NaN);
      const program = this.runtime.program("inverse_dynamics");
      const a = this.motions.steadyAccelerations(this.q, this.v);
      if (a === null) return program.outputs.out.slice().fill(NaN);
      program.inputs.q.set(this.q);
      program.inputs.v.set(this.v);
      program.inputs.a.set(a);
      program.run();
      return program.outputs.out.slice();
    });
  }

  get platform(): Float64Array | null {
    return this.once("platform", () => {
      if (!this.runtime.has("platform")) return null;
      const program = this.runtime.program("platform"), found = new Float64Array(7);
      program.inputs.q.set(this.q);
      program.run();
      found.set(program.outputs.out0);
      found.set(program.outputs.out1, 3);
      return found;
    });
  }

  private get singularity(): Singularity {
    return this.once("singularity", () => this.readouts.singularity(this.q));
  }

  get singularities(): Record<string, number> {
    return this.singularity.distances;
  }

  get condition(): number {
    return this.singularity.condition;
  }

  get branch(): string {
    return this.once("branch", () => this.readouts.branch(this.q));
  }

  get limits(): string[] {
    return this.once("limits", () => this.readouts.limits(this.q));
  }

  private get monitored(): Float64Array {
    return this.once("monitored", () => {
      const program = this.runtime.program("run.monitor");
      program.inputs.q.set(this.q);
      program.inputs.v.set(this.v);
      program.run();
      return program.outputs.out.slice();
    });
  }

  get gap(): number {
    return this.monitored[0];
  }

  get energy(): number[] {
    return [this.monitored[2], this.monitored[3] - this.actuation.weightEnergy(this.poses)];
  }
}

export class RunningEngine implements Engine {
  readonly state: ShownState;
  readonly parameters: Float64Array;
  readonly actuation: Actuation;
  private readonly dragging: Dragging;
  private readonly motions: MotionReadouts;
  private readonly q: Float64Array;
  private readonly v: Float64Array;
  private readonly image: Uint8Array; // the record before any run
  private running = false;
  private stops = true; // limits of joints push back

  constructor(readonly data: EngineData, readonly runtime: Runtime) {
    this.actuation = new Actuation(data, runtime);
    this.dragging = new Dragging(data, runtime);
    this.motions = new MotionReadouts(data, runtime, this.actuation);
    this.parameters = Float64Array.from(data.parameters);
    this.q = Float64Array.from(data.home);
    this.v = new Float64Array(data.sizes.v);
    this.state = new ShownState(data, runtime, this.actuation, new Readouts(data, runtime), this.motions, this.q, this.v);
    this.image = new Uint8Array(runtime.memory.buffer, data.base, data.size).slice();
  }

  setState(q: ArrayLike<number>, v?: ArrayLike<number>): Outcome {
    this.rest();
    const before = this.q.slice();
    this.q.set(q);
    if (v === undefined) this.v.fill(0);
    else this.v.set(v);
    if (this.close()) return REACHED;
    this.q.set(before);
    this.v.fill(0);
    return { reached: false, boundary: false, message: "the loops do not close there" };
  }

  /** Close the loops near the state, and bring its velocities onto them. */
  private close(): boolean {
    const project = this.runtime.program("run.project");
    let best = Infinity;
    for (let i = 0; i < MOST_STEPS; i++) {
      this.state.changed();
      const gap = this.state.gap;
      if (gap < CLOSED) return i > 0 || this.data.has_loops === false || this.projected();
      if (!(gap < best)) return best < ACCEPTED;
      best = gap;
      project.inputs.q.set(this.q);
      project.inputs.v.set(this.v);
      project.run();
      this.q.set(project.outputs.out1);
      this.v.set(project.outputs.out0);
    }
    return false;
  }

  /** Bring the velocities alone onto closed loops. */
  private projected(): boolean {
    if (this.v.every((x) => x === 0)) return true;
    const project = this.runtime.program("run.project");
    project.inputs.q.set(this.q);
    project.inputs.v.set(this.v);
    project.run();
    this.v.set(project.outputs.out0);
    this.state.changed();
    return true;
  }

  setParameters(p: ArrayLike<number>): Outcome {
    this.rest();
    const { parameters } = this, before = parameters.slice(), q = this.q.slice();
    const refused = (message: string): Outcome => ({ reached: false, boundary: false, message });
    if (parameters.length === 0) return refused("the mechanism of this page has no parameters");
    if (!Array.from(p).every(Number.isFinite) || p.length !== parameters.length)
      return refused(`${parameters.length} finite numbers are expected`);
    const target = this.state.actuators.slice();
    let done = 0, step = 1;
    while (done < 1) {
      const to = Math.min(1, done + step), last = parameters.slice();
      for (let i = 0; i < before.length; i++) parameters[i] = to === 1 ? p[i] : before[i] + to * (p[i] - before[i]);
      this.give();
      if (this.closeAgain(target)) {
        done = to;
        continue;
      }
      parameters.set(last);
      step /= 2;
      if (step < LEAST_SHARE) {
        parameters.set(before);
        this.give();
        this.q.set(q);
        this.state.changed();
        return refused("the loops do not close with these values");
      }
    }
    this.v.fill(0);
    this.state.changed();
    return REACHED;
  }

  /** Close the loops at other parameters, if possible with the actuators where they were. */
  private closeAgain(target: Float64Array): boolean {
    this.state.changed();
    if (!this.data.has_loops) return true;
    if (this.runtime.has("step") && this.closeWith(target)) return true;
    const before = this.q.slice();
    this.v.fill(0);
    if (this.close() && this.q.every((x, i) => Math.abs(x - before[i]) < FAR)) return true;
    this.q.set(before);
    return false;
  }

  /** Hand the parameters to all programs. */
  private give(): void {
    const { parameters, data, runtime } = this, n = parameters.length;
    runtime.numbers(data.parameter_address, n).set(parameters);
    runtime.numbers(data.parameter_address + 8 * n, data.stops.length).set(data.stops.map((x) => (this.stops ? x : 0)));
    this.runtime.giveParameters();
    this.state.changed();
  }

  pullBody(body: number, point: number[], target: number[], sight?: number[]): Outcome {
    this.rest();
    const found = this.dragging.pullBody(this.q, body, point, target, sight);
    this.state.changed();
    return found;
  }

  pullPlatform(pose: number[], turning: boolean): Outcome {
    this.rest();
    const { poses, platform } = this.state;
    if (platform === null || this.data.platform < 0)
      return { reached: false, boundary: false, message: "this mechanism has no platform that could be pulled" };
    const found = this.dragging.pullPlatform(this.q, poses, platform, pose, turning);
    this.state.changed();
    return found;
  }

  drive(actuator: number, value: number): Outcome {
    this.rest();
    if (this.dragging.canPullActuators) {
      const found = this.dragging.pullActuator(this.q, actuator, value);
      this.state.changed();
      return found;
    }
    return this.driveThroughCuts(actuator, value);
  }

  /** The same where actuators are at joints that close loops: closed again and again with all actuators given. */
  private driveThroughCuts(actuator: number, value: number): Outcome {
    if (!this.runtime.has("step"))
      return { reached: false, boundary: false, message: "this actuator cannot be driven alone" };
    const target = this.state.actuators.slice(), { units, repeats } = this.data.actuators;
    let way = value - target[actuator];
    if (repeats[actuator]) way -= 2 * Math.PI * Math.round(way / (2 * Math.PI));
    const start = target[actuator], size = Math.abs(way) / units[actuator];
    let done = 0, step = Math.min(1, LARGEST_TURN / Math.max(size, LARGEST_TURN));
    const largest = step;
    while (done < 1) {
      const to = done + step > 1 - 1e-12 ? 1 : done + step;
      target[actuator] = start + way * to;
      if (this.closeWith(target)) [done, step] = [to, Math.min(largest, 2 * step)];
      else step /= 2;
      if (step * size < LEAST_TURN && done < 1)
        return { reached: false, boundary: true, message: "the loops do not close beyond this position" };
    }
    return REACHED;
  }

  /** What an actuator reaches while the others stay: driven step by step, and back. */
  reach(actuator: number): Reach {
    const before = this.q.slice(), start = this.state.actuators[actuator], { units, lengths } = this.data.actuators;
    const most = lengths[actuator] ? this.data.length : 2 * Math.PI;
    const ends = [-1, 1].map((sense) => {
      let way = 0;
      for (let i = 1; i <= REACH_STEPS; i++) {
        this.drive(actuator, start + (sense * most * i) / REACH_STEPS);
        way += this.state.actuators[actuator] - start - way;
        if (Math.abs(way - (sense * most * i) / REACH_STEPS) > LEAST_TURN * units[actuator]) break;
      }
      this.q.set(before);
      this.state.changed();
      return way;
    });
    const whole = !lengths[actuator] && Math.min(-ends[0], ends[1]) >= most * (1 - LEAST_TURN);
    return whole
      ? { low: start - Math.PI, high: start + Math.PI, whole }
      : { low: start + ends[0], high: start + ends[1], whole };
  }

  posesAt(q: ArrayLike<number>): Float64Array {
    return this.state.posesAt(q);
  }

  ratesOf(actuator: number): Float64Array | null {
    return this.motions.ratesOf(this.q, actuator);
  }

  bodyRates(v: Float64Array): Float64Array {
    return this.motions.bodyRates(this.q, v);
  }

  reactions(): Float64Array | null {
    return this.motions.reactions(this.q, this.v, this.state.efforts, this.running);
  }

  /** Close the loops with the actuators at positions, on the branch of the state; else the state is as before. */
  private closeWith(target: Float64Array): boolean {
    const step = this.runtime.program("step"), before = this.q.slice();
    let senses: Float64Array | null = null;
    for (let i = 0; i < MOST_STEPS; i++) {
      step.inputs.q.set(this.q);
      step.inputs.target.set(target);
      step.run();
      const [worst, most, length, ...blocks] = step.outputs.out1;
      senses ??= Float64Array.from(blocks, Math.sign);
      if (!(length < FAR) || blocks.some((x, k) => !(x * senses![k] > 0))) break;
      this.q.set(step.outputs.out0);
      if (Math.max(worst, most) < CLOSED) {
        this.state.changed();
        return true;
      }
    }
    this.q.set(before);
    return false;
  }

  assemblyModes(): { q: Float64Array; current: boolean }[] {
    this.rest();
    if (!this.data.has_loops || !this.runtime.has("step")) return [{ q: this.q.slice(), current: true }];
    return findModes(this.data, this.runtime, this.q, this.state.actuators.slice(), (q) => this.posesAt(q));
  }

  /** Leave a run. */
  private rest(): void {
    if (!this.running) return;
    this.running = false;
    this.state.acting = null;
    this.v.fill(0);
    this.state.changed();
  }

  start(options: RunOptions): void {
    const { runtime, data } = this;
    new Uint8Array(runtime.memory.buffer, data.base, data.size).set(this.image);
    const y = runtime.field("y", data.sizes.q + data.sizes.v);
    y.set(this.q);
    y.set(this.v, data.sizes.q);
    this.running = true;
    this.state.t = 0;
    if (options.stops !== this.stops) {
      this.stops = options.stops;
      this.give();
    }
    this.actuation.begin(options, this.state.actuators);
    this.state.acting = this.actuation.acting;
    this.state.changed();
  }

  push(body: number, point: number[], force: number[]): void {
    if (this.running) this.actuation.push(body, point, force);
  }

  motion(actuator: number, law: null | Motion): void {
    this.actuation.laws[actuator] = law;
    this.runtime.field("step.fresh")[0] = 1;
  }

  advance(dt: number): Outcome {
    const { runtime, data } = this;
    if (!this.running) return { reached: false, boundary: false, message: "nothing runs: start a run first" };
    runtime.field("settings.t_end")[0] += dt;
    const status = this.advanceSlices();
    const y = runtime.field("y", data.sizes.q + data.sizes.v);
    this.q.set(y.subarray(0, data.sizes.q));
    this.v.set(y.subarray(data.sizes.q));
    this.state.t = runtime.field("step.t")[0];
    this.state.acting = this.actuation.acting;
    this.state.changed();
    if (status === DONE) return REACHED;
    if (status === GOING) return { reached: false, boundary: false, message: "too many steps for one picture" };
    const why = status === UNDERFLOW ? "its steps became too small" : "its equations have no solution here";
    return { reached: false, boundary: true, message: `the run ends at ${this.state.t.toPrecision(4)} s: ${why}` };
  }

  /** Run the driver up to the end of its segment; events and singular positions on the way are not looked at. */
  private advanceSlices(): number {
    const { runtime } = this, budget = runtime.whole("budget");
    budget[0] = BigInt(BUDGET);
    for (;;) {
      const status = runtime.drive("advance_lanes");
      if (status !== EXAMINE && status !== FULL_LIST) return status;
      if (budget[0] <= 0n) return GOING;
      runtime.whole("events.n_found")[0] = 0n;
      runtime.whole("tangent.n_passed")[0] = 0n;
    }
  }
}
