// Other configurations with the actuators where they are: Newton's method from seeded random starts.

import type { EngineData, Runtime } from "./runtime";

const STARTS = 240, MOST_STEPS = 24;
const CLOSED = 1e-12;
const SAME = 1e-6; // difference of poses below which two configurations are one

/** Numbers from 0 to 1 that are the same every time (mulberry32). */
function seededNumbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Closed configurations at positions of the actuators, the nearest to q first; q is the first one. */
export function findModes(
  data: EngineData, runtime: Runtime, q: Float64Array, target: Float64Array, posesAt: (q: Float64Array) => Float64Array,
): { q: Float64Array; current: boolean }[] {
  const kept: { q: Float64Array; shape: number[]; far: number }[] = [{ q: q.slice(), shape: shapeOf(data, posesAt(q)), far: 0 }];
  const random = seededNumbers(5);
  for (let k = 0; k < STARTS; k++) {
    const start = randomStart(data, random, target);
    if (k % 2) mixWith(data, start, q, random());
    const found = closeFrom(runtime, start, target);
    if (found === null || !isRightWayRound(runtime, found)) continue;
    const shape = shapeOf(data, posesAt(found));
    if (kept.some((other) => other.shape.every((x, i) => Math.abs(x - shape[i]) < SAME))) continue;
    kept.push({ q: found, shape, far: Math.hypot(...found.map((x, i) => x - q[i])) });
  }
  kept.sort((a, b) => a.far - b.far);
  return kept.map((each) => ({ q: each.q, current: each.far === 0 }));
}

function randomStart(data: EngineData, random: () => number, target: Float64Array): Float64Array {
  const start = Float64Array.from(data.starts, (ends) =>
    ends === null ? random() + random() + random() - 1.5 : ends[0] + (ends[1] - ends[0]) * random());
  for (let i = 0; i < start.length; i++)
    if (data.starts[i] === null) {
      const size = Math.hypot(...start.subarray(i, i + 4));
      for (const j of [0, 1, 2, 3]) start[i + j] /= size;
      i += 3;
    }
  data.actuators.coordinates.forEach((at, i) => { if (at !== null) start[at] = target[i]; });
  return start;
}

/** Leave about half of the coordinates where they are. */
function mixWith(data: EngineData, start: Float64Array, q: Float64Array, share: number): void {
  let n = 0;
  for (let i = 0; i < start.length; i++) {
    n = (n * 16807 + 12345 + Math.floor(share * 1e9)) % 2147483647;
    if (data.starts[i] === null || n % 1000 < 1000 * share) start[i] = q[i];
  }
}

/** Newton's method with the actuators at their positions; null where it does not close. */
function closeFrom(runtime: Runtime, start: Float64Array, target: Float64Array): Float64Array | null {
  const step = runtime.program("step");
  step.inputs.q.set(start);
  step.inputs.target.set(target);
  for (let i = 0; i < MOST_STEPS; i++) {
    step.run();
    const [worst, most] = step.outputs.out1;
    if (!(worst < 1e6)) return null;
    if (Math.max(worst, most) < CLOSED) return step.outputs.out0.slice();
    step.inputs.q.set(step.outputs.out0);
  }
  return null;
}

function isRightWayRound(runtime: Runtime, q: Float64Array): boolean {
  if (!runtime.has("senses")) return true;
  const program = runtime.program("senses");
  program.inputs.q.set(q);
  program.run();
  return program.outputs.out.every((x) => x > 0);
}

/** What distinguishes modes: the platform's pose, else the poses of all bodies; lengths count in the mechanism's. */
function shapeOf(data: EngineData, poses: Float64Array): number[] {
  const bodies = data.platform >= 0 ? [data.platform] : data.bodies.map((_, i) => i);
  return bodies.flatMap((i) => {
    const [x, y, z, a, b, c, d] = poses.subarray(7 * i, 7 * i + 7), L = data.length;
    return [x / L, y / L, z / L, a * a + b * b, a * c - b * d, b * c + a * d, a * b - c * d, a * d - b * c, b * d + a * c, a * a + d * d];
  });
}
