// Pulls at bodies and at the platform, by the library's driver (kinematics/dragging/pull_driver.py).

import type { EngineData, Runtime } from "./runtime";
import type { Outcome } from "./engine";
import { turnBack } from "./actuation";

const LIGHT = 1e-4; // what an error counts that is followed only where the others allow it
const REACHED = 1, BOUNDARY = 2, EDGE = 3, LOST = 4;

/** Unit vectors across a line of sight, and along it. */
function axesAcross(sight: number[]): number[] {
  const length = Math.hypot(...sight), z = sight.map((x) => x / length);
  const least = z.reduce((k, x, i) => (Math.abs(x) < Math.abs(z[k]) ? i : k), 0);
  const e = [0, 1, 2].map((i) => Number(i === least) - z[least] * z[i]), size = Math.hypot(...e);
  const x = e.map((a) => a / size);
  return [...x, z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0], ...z];
}

/** Product of quaternions w x y z; the second one conjugated. */
function turnsBetween(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
  return [
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3],
    -a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
    -a[0] * b[2] + a[2] * b[0] - a[3] * b[1] + a[1] * b[3],
    -a[0] * b[3] + a[3] * b[0] - a[1] * b[2] + a[2] * b[1],
  ];
}

export class Dragging {
  private readonly alone: number; // velocities that bend links are left alone

  constructor(private readonly data: EngineData, private readonly runtime: Runtime) {
    this.alone = Number(runtime.whole("drag.step.n_alone")[0]);
  }

  /** True where every actuator is at a joint of the tree, so that one is moved while the others stay. */
  get canPullActuators(): boolean {
    return this.data.actuators.coordinates.every((x) => x !== null);
  }

  /** An actuator to a position, all others where they are. */
  pullActuator(q: Float64Array, actuator: number, value: number): Outcome {
    const { runtime, data } = this, speeds = data.actuators.speeds as number[];
    const others = speeds.filter((_, i) => i !== actuator);
    runtime.whole("drag.goal.velocity")[0] = BigInt(speeds[actuator]);
    runtime.field("drag.goal.value")[0] = value;
    runtime.whole("drag.step.n_alone")[0] = BigInt(this.alone + others.length);
    runtime.whole("drag.step.bounds", this.alone + others.length).set(others.map(BigInt), this.alone);
    return this.run(q, () => "an end of its range, or of what the loops allow with the others where they are");
  }

  /** A point of a body to a point of the world, with the depth along a line of sight left open. */
  pullBody(q: Float64Array, body: number, point: number[], target: number[], sight?: number[]): Outcome {
    const flat = sight !== undefined && Math.hypot(...sight) > 0;
    const axes = flat ? axesAcross(sight) : [1, 0, 0, 0, 1, 0, 0, 0, 1];
    return this.pull(q, body, point, target, axes, [1, 0, 0, 0], [1, 1, flat ? LIGHT : 1, 0, 0, 0]);
  }

  /** The platform to a pose x y z qw qx qy qz; `poses` are those of all bodies and of the platform now. */
  pullPlatform(q: Float64Array, poses: Float64Array, platform: Float64Array, pose: number[], turning: boolean): Outcome {
    const body = this.data.platform, now = poses.subarray(7 * body, 7 * body + 7), length = Math.hypot(...pose.slice(3));
    const point = turnBack(now.subarray(3), [0, 1, 2].map((i) => platform[i] - now[i]));
    const wanted = pose.slice(3).map((x) => x / length);
    // R_wanted R_platform^-1 R_body, with quaternions: the turn that is missing, put before that of the body.
    const [w, x, y, z] = turnsBetween(wanted, platform.subarray(3));
    const turn = turnsBetween([w, x, y, z], [now[3], -now[4], -now[5], -now[6]]);
    const light = this.data.mobility >= 6 ? 1 : LIGHT, [lengths, turns] = turning ? [light, 1] : [1, light];
    const weights = [lengths, lengths, lengths, turns, turns, turns];
    return this.pull(q, body, point, pose.slice(0, 3), [1, 0, 0, 0, 1, 0, 0, 0, 1], turn, weights);
  }

  private pull(
    q: Float64Array, body: number, point: number[], xyz: number[], axes: number[], wxyz: number[], weights: number[],
  ): Outcome {
    const { runtime, data } = this, length = data.length;
    runtime.whole("drag.goal.velocity")[0] = -1n;
    runtime.whole("drag.step.n_alone")[0] = BigInt(this.alone);
    runtime.whole("drag.goal.body")[0] = BigInt(body);
    runtime.field("drag.goal.point", 3).set(point);
    runtime.field("drag.goal.xyz", 3).set(xyz);
    runtime.field("drag.goal.axes", 9).set(axes);
    runtime.field("drag.goal.wxyz", 4).set(wxyz);
    runtime.field("drag.goal.weights", 6).set(weights.map((x, i) => (i < 3 ? x / length : x)));
    runtime.whole("drag.goal.counts", 6).set(weights.map((x) => BigInt(x >= 1)));
    const missed = () => (runtime.field("drag.step.missed")[0] * length).toPrecision(3);
    return this.run(q, () => `as near as the mechanism comes: ${missed()} m away`);
  }

  /** Run the driver from closed coordinates, which become those at its end. */
  private run(q: Float64Array, boundary: () => string): Outcome {
    const { runtime, data } = this, held = runtime.field("drag.step.q", data.sizes.q);
    held.set(q);
    const end = runtime.drive("pull_body", data.drag.base);
    if (end === LOST || !held.every(Number.isFinite))
      return { reached: false, boundary: true, message: "the equations have no solution here" };
    q.set(held);
    if (end === REACHED) return { reached: true, boundary: false, message: "" };
    if (end === EDGE)
      return { reached: false, boundary: true, message: "stopped at a singular position: behind it lies another branch" };
    return { reached: false, boundary: end === BOUNDARY, message: end === BOUNDARY ? boundary() : "" };
  }
}
