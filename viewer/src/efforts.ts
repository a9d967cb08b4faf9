// Arrows of actuator efforts and of reactions in the joints, scaled so that the largest is a quarter of the mechanism.

import { Group, Matrix4, Quaternion, Vector3 } from "three";
import { Effort, PageData, unpacked } from "./data";
import { Sign, signOf } from "./arrows";
import { Tracks, matrixOf } from "./tracks";

export const EFFORT_COLOR = "#f48c66";
export const FORCE_COLOR = "#cc3377";
export const MOMENT_COLOR = "#7755bb";

const ROUNDED = 1e-9; // a moment below, times the largest force and the size of the mechanism, is rounding
const SIZE = 0.25; // of the mechanism, for the largest effort

type Values = Float32Array | Float64Array;

const NOTHING = new Float64Array(0);

export class Efforts {
  readonly group = new Group();
  private readonly items: { arrow: Sign; body: number; local: Matrix4; axis: Vector3; scale: number; live: number }[] = [];
  private readonly tau: Values;

  constructor(data: PageData, private readonly tracks: Tracks) {
    const { efforts, extent, unit } = data.scene;
    const tau = data.tau ? unpacked(data.tau) : new Float32Array(0);
    this.tau = tau;
    for (const effort of efforts) {
      const arrow = signOf(effort.moment, EFFORT_COLOR, unit, SIZE * extent, effort.ring);
      const alike = efforts.flatMap((e, k) => (e.moment === effort.moment ? [k] : []));
      const peak = Math.max(...alike.map((k) => columnPeak(tau, k, efforts.length)));
      const axis = new Vector3().fromArray(effort.axis);
      this.items.push({ arrow, body: effort.body, local: matrixOf(effort.at), axis, scale: scaled(extent, peak), live: Infinity });
      this.group.add(arrow.group);
    }
  }

  /** The joints of a mechanism with other dimensions. */
  move(efforts: Effort[]): void {
    this.items.forEach((item, i) => (item.local = matrixOf(efforts[i].at)));
  }

  /** Efforts of the engine; the scale follows the largest seen. */
  take(values: ArrayLike<number>, extent: number): void {
    const peak = Math.max(...Array.from(values, (x) => (Number.isFinite(x) ? Math.abs(x) : 0)));
    for (const item of this.items) item.live = Math.min(item.live, scaled(extent, peak) || Infinity);
    this.draw(values, 0, (item) => (item.live < Infinity ? item.live : 0));
  }

  place(time: number): void {
    this.draw(this.tau, this.tracks.sampleAt(time)[0], (item) => item.scale);
  }

  private draw(values: ArrayLike<number>, row: number, scale: (item: Efforts["items"][number]) => number): void {
    const width = this.items.length;
    this.items.forEach((item, i) => {
      const { arrow, body, local, axis } = item;
      const effort = values.length ? values[row * width + i] : NaN;
      const matrix = body < 0 ? local : new Matrix4().multiplyMatrices(this.tracks.matrices[body], local);
      const along = axis.clone().transformDirection(matrix).multiplyScalar(effort < 0 ? -1 : 1);
      arrow.point(new Vector3().setFromMatrixPosition(matrix), along, Math.abs(effort) * scale(item));
    });
  }
}

export class Reactions {
  readonly group = new Group();
  private readonly items: { name: string; force: Sign; moment: Sign; body: number; local: Matrix4; wrench: Values }[] = [];
  private readonly scales: { force: number; moment: number };
  private readonly liveScales = { force: Infinity, moment: Infinity };
  private readonly rows: Map<string, number>; // of the engine's wrenches, by joint

  constructor(data: PageData, private readonly tracks: Tracks) {
    const { extent, unit, joints } = data.scene;
    const wrenches = new Map(Object.entries(data.reactions).map(([name, packed]) => [name, unpacked(packed)]));
    const peak = (from: number) => Math.max(0, ...[...wrenches.values()].map((w) => largest(w, from)));
    this.scales = { force: scaled(extent, peak(3)), moment: scaled(extent, peak(0)) };
    this.rows = new Map(data.engine && "reactions" in data.engine.programs ? data.engine.reactions.map((name, i) => [name, 6 * i]) : []);
    for (const joint of joints) {
      const wrench = wrenches.get(joint.name) ?? NOTHING;
      if (!wrench.length && !this.rows.has(joint.name)) continue;
      const [force, moment] = [signOf(false, FORCE_COLOR, unit, SIZE * extent), signOf(true, MOMENT_COLOR, unit, SIZE * extent)];
      this.group.add(force.group, moment.group);
      this.items.push({ name: joint.name, force, moment, body: joint.child, local: matrixOf(joint.childAt), wrench });
    }
  }

  get any(): boolean {
    return this.items.length > 0;
  }

  place(time: number): void {
    if (!this.group.visible) return;
    const row = 6 * this.tracks.sampleAt(time)[0];
    this.draw(({ wrench }) => [wrench, row], this.scales);
  }

  /** Wrenches of the engine, in the order of its joints; null where they are not known. */
  take(wrenches: Float64Array | null, extent: number): void {
    if (!this.group.visible) return;
    const [force, moment] = wrenches ? [largest(wrenches, 3), largest(wrenches, 0)] : [0, 0];
    const seen = { force, moment: moment > ROUNDED * force * extent ? moment : 0 };
    for (const kind of ["force", "moment"] as const) this.liveScales[kind] = Math.min(this.liveScales[kind], scaled(extent, seen[kind]) || Infinity);
    const finite = (x: number) => (Number.isFinite(x) ? x : 0);
    this.draw(({ name }) => [wrenches ?? NOTHING, this.rows.get(name) ?? NaN], { force: finite(this.liveScales.force), moment: finite(this.liveScales.moment) });
  }

  private draw(of: (item: Reactions["items"][number]) => [Values, number], scales: Reactions["scales"]): void {
    for (const item of this.items) {
      const { force, moment, body, local } = item, [wrench, row] = of(item);
      const matrix = body < 0 ? new Matrix4() : this.tracks.matrices[body];
      const at = new Vector3().setFromMatrixPosition(local).applyMatrix4(matrix);
      const turn = new Quaternion().setFromRotationMatrix(matrix);
      aim(force, at, turn, wrench, row + 3, scales.force);
      aim(moment, at, turn, wrench, row, scales.moment);
    }
  }
}

function aim(arrow: Sign, at: Vector3, turn: Quaternion, wrench: Values, k: number, scale: number): void {
  const along = new Vector3(wrench[k], wrench[k + 1], wrench[k + 2]); // of no number where there is none
  const size = along.length();
  arrow.point(at, along.divideScalar(size || 1).applyQuaternion(turn), size * scale);
}

function columnPeak(values: Values, column: number, width: number): number {
  let peak = 0;
  for (let i = column; i < values.length; i += width) if (Math.abs(values[i]) > peak) peak = Math.abs(values[i]);
  return peak;
}

function largest(wrench: Values, from: number): number {
  let peak = 0;
  for (let k = from; k + 2 < wrench.length; k += 6) {
    const size = Math.hypot(wrench[k], wrench[k + 1], wrench[k + 2]);
    if (size > peak) peak = size;
  }
  return peak;
}

function scaled(extent: number, peak: number): number {
  return peak > 0 && Number.isFinite(peak) ? (SIZE * extent) / peak : 0;
}
