// What acts during a run besides the mechanism's own forces: motors that hold or follow, pushes, gravity taken away.

import type { EngineData, Runtime } from "./runtime";
import type { Motion, RunOptions } from "./engine";

const RATE = 40; // of errors of motors that hold or follow, critically damped [rad/s]

interface Push {
  point: number[];
  force: number[];
}

/** A vector turned by the inverse of a unit quaternion w x y z. */
export function turnBack(wxyz: ArrayLike<number>, x: ArrayLike<number>): number[] {
  const [w, a, b, c] = [wxyz[0], -wxyz[1], -wxyz[2], -wxyz[3]];
  const u = [b * x[2] - c * x[1], c * x[0] - a * x[2], a * x[1] - b * x[0]];
  return [
    x[0] + 2 * (w * u[0] + b * u[2] - c * u[1]),
    x[1] + 2 * (w * u[1] + c * u[0] - a * u[2]),
    x[2] + 2 * (w * u[2] + a * u[1] - b * u[0]),
  ];
}

/** Position, rate and acceleration of a motor at a time. */
export function motionAt(law: Motion, t: number): [number, number, number] {
  if ("amplitude" in law) {
    const w = 2 * Math.PI * law.frequency;
    const [s, c] = [law.amplitude * Math.sin(w * t), law.amplitude * Math.cos(w * t)];
    return [law.offset + s, w * c, -w * w * s];
  }
  const { t: times, x } = law;
  const last = times.length - 1;
  if (t <= times[0]) return [x[0], 0, 0];
  if (t >= times[last]) return [x[last], 0, 0];
  let i = 0;
  while (times[i + 1] < t) i++;
  const h = times[i + 1] - times[i], share = (t - times[i]) / h;
  const rate = (j: number) => (j <= 0 || j >= last ? 0 : (x[j + 1] - x[j - 1]) / (times[j + 1] - times[j - 1]));
  const a = rate(i) * h, b = rate(i + 1) * h, d = x[i + 1] - x[i];
  const [c2, c3] = [3 * d - 2 * a - b, a + b - 2 * d]; // a cubic with the slopes of its neighbors
  return [
    x[i] + share * (a + share * (c2 + share * c3)),
    (a + share * (2 * c2 + 3 * share * c3)) / h,
    (2 * c2 + 6 * share * c3) / (h * h),
  ];
}

/** Functions that the stepping driver calls at every derivative. */
export class Actuation {
  readonly laws: (Motion | null)[];
  private readonly pushes = new Map<number, Push>();
  private readonly entries: { effort: bigint; wrench: bigint };
  private options: RunOptions = { gravity: true, stops: true, motors: "free" };
  private held: Float64Array;

  constructor(private readonly data: EngineData, private readonly runtime: Runtime) {
    this.laws = Array(data.sizes.actuators).fill(null);
    this.held = new Float64Array(data.sizes.actuators);
    const entry = (f: (addresses: Int32Array) => void) =>
      runtime.tableEntry((table) => (f(runtime.addresses(table, 5)), 1));
    this.entries = { effort: entry((x) => this.efforts(x)), wrench: entry((x) => this.wrenches(x)) };
  }

  /** True where motors can hold and follow: where efforts follow from a motion of the actuators. */
  get canFollow(): boolean {
    return this.runtime.has("rates") && this.runtime.has("inverse_dynamics");
  }

  /** Choose what acts from now on; the actuators are held where they are. */
  begin(options: RunOptions, actuators: Float64Array): void {
    this.options = options;
    this.held = actuators.slice();
    this.pushes.clear();
    this.setFunctions();
  }

  push(body: number, point: number[], force: number[]): void {
    if (Math.hypot(...force) > 0) this.pushes.set(body, { point, force });
    else this.pushes.delete(body);
    this.setFunctions();
  }

  /** Have the driver call what there is to call. */
  private setFunctions(): void {
    const follows = this.options.motors !== "free" && this.canFollow;
    const acts = this.pushes.size > 0 || !this.options.gravity;
    this.runtime.whole("mechanics.effort")[0] = follows ? this.entries.effort : 0n;
    this.runtime.whole("mechanics.wrench")[0] = acts ? this.entries.wrench : 0n;
    const { actuators, bodies } = this.data.sizes;
    this.runtime.field("mechanics.tau", actuators + 6 * bodies).fill(0);
    this.runtime.field("step.fresh")[0] = 1;
  }

  /** Efforts with which the actuators come to their positions: what the accelerations that correct them need. */
  private efforts([clock, q, v, out]: Int32Array): void {
    const { runtime, data } = this, { sizes } = data;
    const [rates, inverse] = [runtime.program("rates"), runtime.program("inverse_dynamics")];
    const t = runtime.numbers(clock, 1)[0];
    rates.inputs.q.set(runtime.numbers(q, sizes.q));
    const now = this.positions(runtime.numbers(q, sizes.q)), speed = this.speeds(runtime.numbers(v, sizes.v));
    for (let i = 0; i < sizes.actuators; i++) {
      const law = this.options.motors === "driven" ? this.laws[i] : null;
      const [x, xRate, xAcceleration] = law === null ? [this.held[i], 0, 0] : motionAt(law, t);
      let off = x - now[i];
      if (data.actuators.repeats[i]) off -= 2 * Math.PI * Math.round(off / (2 * Math.PI));
      rates.inputs.target_rate[i] = speed[i];
      rates.inputs.target_acceleration[i] = xAcceleration + 2 * RATE * (xRate - speed[i]) + RATE * RATE * off;
    }
    rates.run();
    const found = rates.outputs.out;
    inverse.inputs.q.set(runtime.numbers(q, sizes.q));
    inverse.inputs.v.set(runtime.numbers(v, sizes.v));
    inverse.inputs.a.set(found.subarray(sizes.v));
    inverse.run();
    runtime.numbers(out, sizes.actuators).set(inverse.outputs.out);
  }

  /** Positions of the actuators at coordinates. */
  positions(q: Float64Array): Float64Array {
    const { coordinates } = this.data.actuators;
    if (!this.runtime.has("actuators")) return Float64Array.from(coordinates, (i) => (i === null ? NaN : q[i]));
    const program = this.runtime.program("actuators");
    program.inputs.q.set(q);
    program.run();
    return program.outputs.out.slice();
  }

  /** Rates of the actuators. */
  speeds(v: Float64Array): Float64Array {
    const { speeds } = this.data.actuators;
    if (!this.runtime.has("actuator_rates")) return Float64Array.from(speeds, (i) => (i === null ? NaN : v[i]));
    const program = this.runtime.program("actuator_rates");
    program.inputs.q.set(this.runtime.program("rates").inputs.q);
    program.inputs.v.set(v);
    program.run();
    return program.outputs.out.slice();
  }

  /** Moment and force on every body at its origin, in its axes: pushes, and weight taken away. */
  private wrenches([, q, , out]: Int32Array): void {
    const { runtime, data } = this, n = data.sizes.bodies;
    const poses = runtime.program("poses");
    poses.inputs.q.set(runtime.numbers(q, data.sizes.q));
    poses.run();
    const w = runtime.numbers(out, 6 * n);
    w.fill(0);
    const add = (body: number, point: ArrayLike<number>, force: ArrayLike<number>) => {
      const f = turnBack(poses.outputs.out1.subarray(4 * body, 4 * body + 4), force), k = 6 * body;
      w[k] += point[1] * f[2] - point[2] * f[1];
      w[k + 1] += point[2] * f[0] - point[0] * f[2];
      w[k + 2] += point[0] * f[1] - point[1] * f[0];
      for (let i = 0; i < 3; i++) w[k + 3 + i] += f[i];
    };
    for (const [body, { point, force }] of this.pushes) add(body, point, force);
    if (this.options.gravity) return;
    data.bodies.forEach(({ mass, center }, body) => add(body, center, data.gravity.map((g) => -mass * g)));
  }

  /** Energy of the weight that is taken away, to be left out of the potential energy [J]. */
  weightEnergy(poses: Float64Array): number {
    if (this.options.gravity) return 0;
    let energy = 0;
    this.data.bodies.forEach(({ mass, center }, body) => {
      const [w, x, y, z] = poses.subarray(7 * body + 3, 7 * body + 7);
      const arm = turnBack([w, -x, -y, -z], center);
      for (let i = 0; i < 3; i++) energy -= mass * this.data.gravity[i] * (poses[7 * body + i] + arm[i]);
    });
    return energy;
  }

  /** True where nothing acts on bodies from outside but their weight. */
  get weightAlone(): boolean {
    return this.options.gravity && this.pushes.size === 0;
  }

  /** Efforts that act now. */
  get acting(): Float64Array {
    return this.runtime.field("mechanics.tau", this.data.sizes.actuators).slice();
  }
}
