// Poses of all bodies at any time: the samples of the page, blended.

import { Matrix4, Quaternion, Vector3 } from "three";
import { Packed, unpacked } from "./data";
import { sampleAt } from "./sampling";

const ONE = new Vector3(1, 1, 1);

export class Tracks {
  readonly t: Float64Array;
  readonly frames: number;
  readonly matrices: Matrix4[];
  private readonly poses: Float32Array;
  private readonly good: Int32Array;
  private readonly a = { r: new Vector3(), R: new Quaternion() };
  private readonly b = { r: new Vector3(), R: new Quaternion() };

  constructor(readonly bodies: number, t: Packed, poses: Packed) {
    this.t = unpacked(t) as Float64Array;
    this.poses = unpacked(poses) as Float32Array;
    this.frames = this.bodies ? this.poses.length / (7 * this.bodies) : 0;
    this.good = lastGood(this.poses, this.frames, 7 * this.bodies);
    this.matrices = Array.from({ length: this.bodies }, () => new Matrix4());
  }

  get start(): number {
    return this.t.length ? this.t[0] : 0;
  }

  get end(): number {
    return this.t.length ? this.t[this.t.length - 1] : 0;
  }

  /** The sample at or before a time, and the share of the step to the next. */
  sampleAt(time: number): [number, number] {
    return sampleAt(this.t, time);
  }

  /** Set the matrices to the poses at a time. */
  show(time: number): void {
    const [at, share] = this.sampleAt(time);
    const i = this.good[at];
    const j = share > 0 && i === at ? this.good[at + 1] : i;
    for (let body = 0; body < this.bodies; body++) {
      this.read(i, body, this.a);
      if (j !== i) {
        this.read(j, body, this.b);
        this.a.r.lerp(this.b.r, share);
        this.a.R.slerp(this.b.R, share);
      }
      this.matrices[body].compose(this.a.r, this.a.R, ONE);
    }
  }

  /** Set the matrices to poses given as seven numbers per body. */
  take(poses: ArrayLike<number>): void {
    for (let body = 0; body < this.bodies; body++) {
      fill(poses, 7 * body, this.a);
      this.matrices[body].compose(this.a.r, this.a.R, ONE);
    }
  }

  /** The path of a point of a body over all samples, x y z after each other; bad samples are left out. */
  trace(body: number, xyz: number[]): number[] {
    const out: number[] = [];
    const point = new Vector3();
    for (let i = 0; i < this.frames; i++) {
      if (this.good[i] !== i) continue;
      this.read(i, body, this.a);
      point.fromArray(xyz).applyQuaternion(this.a.R).add(this.a.r);
      out.push(point.x, point.y, point.z);
    }
    return out;
  }

  private read(frame: number, body: number, into: { r: Vector3; R: Quaternion }): void {
    fill(this.poses, 7 * (frame * this.bodies + body), into);
  }
}

function fill(numbers: ArrayLike<number>, k: number, into: { r: Vector3; R: Quaternion }): void {
  into.r.set(numbers[k], numbers[k + 1], numbers[k + 2]);
  into.R.set(numbers[k + 4], numbers[k + 5], numbers[k + 6], numbers[k + 3]);
}

/** For every frame the last one before it without not-a-numbers (the first good one at the start). */
function lastGood(poses: Float32Array, frames: number, width: number): Int32Array {
  const out = new Int32Array(frames).fill(-1);
  let last = -1;
  for (let i = 0; i < frames; i++) {
    let fine = true;
    for (let k = i * width; k < (i + 1) * width && fine; k++) fine = Number.isFinite(poses[k]);
    if (fine) last = i;
    out[i] = last;
  }
  const first = out.find((i) => i >= 0) ?? 0;
  return out.map((i) => (i < 0 ? first : i));
}

export function matrixOf(pose: number[]): Matrix4 {
  const at = { r: new Vector3(), R: new Quaternion() };
  fill(pose, 0, at);
  return new Matrix4().compose(at.r, at.R, ONE);
}
