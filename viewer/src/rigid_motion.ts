// Where and how bodies turn: points of joints and their velocities, instant centers, screw axes.

import { Vector3 } from "three";
import type { SceneData } from "./data";
import type { Tracks } from "./tracks";

const STILL = 1e-9; // a rate below, times the mechanism's size, is none beside the largest velocity

/** Angular velocity, and velocity of the point of the body at the origin of the world. */
export interface Twist {
  omega: Vector3;
  v: Vector3;
}

export const REST: Twist = { omega: new Vector3(), v: new Vector3() };

/** Twists of all bodies from the engine's rates, and where the bodies are. */
export function twistsOf(rates: ArrayLike<number>, tracks: Tracks): Twist[] {
  return tracks.matrices.map((matrix, i) => {
    const [omega, v] = [0, 3].map((k) => new Vector3(rates[6 * i + k], rates[6 * i + k + 1], rates[6 * i + k + 2]));
    return { omega, v: v.sub(new Vector3().crossVectors(omega, new Vector3().setFromMatrixPosition(matrix))) };
  });
}

export function velocityAt({ omega, v }: Twist, point: Vector3): Vector3 {
  return new Vector3().crossVectors(omega, point).add(v);
}

export function relativeTwist(a: Twist, b: Twist): Twist {
  return { omega: a.omega.clone().sub(b.omega), v: a.v.clone().sub(b.v) };
}

/** The axis of a motion: its point nearest to another one, its direction, and its pitch; null for a translation or none. */
export function screwAxis(twist: Twist, near: Vector3, size: number): { point: Vector3; along: Vector3; pitch: number } | null {
  const { omega } = twist, w = omega.length(), v = velocityAt(twist, near);
  if (w * size <= STILL * v.length() || w === 0) return null;
  return { point: new Vector3().crossVectors(omega, v).divideScalar(w * w).add(near), along: omega.clone().divideScalar(w), pitch: omega.dot(v) / (w * w) };
}

/** A point of the drawing with a letter, and the bodies it belongs to; -1 is the base. */
export interface Pin {
  letter: string;
  bodies: number[];
  at: Vector3; // in the frame of the first body
  joints: string[];
}

/** Points nearer than this share of the mechanism are one: poses of a page have two bytes a number. */
const SAME_POINT = 3e-4;

/** Points at the joints, and the ends of paths; joints at one point share it. */
export function pinsOf(scene: SceneData, tracks: Tracks): Pin[] {
  const found: Pin[] = [];
  const add = (bodies: number[], body: number, xyz: number[], joints: string[]): void => {
    const at = worldPoint(body, xyz, tracks);
    const same = found.find((pin) => pinAt(pin, tracks).distanceTo(at) < SAME_POINT * scene.extent && pin.bodies.some((b) => bodies.includes(b)));
    if (same) {
      same.bodies = [...new Set([...same.bodies, ...bodies])];
      same.joints.push(...joints);
    } else found.push({ letter: "", bodies: [body, ...bodies.filter((b) => b !== body)], at: new Vector3().fromArray(xyz), joints });
  };
  for (const { name, parent, child, at, childAt } of scene.joints) {
    const apart = worldPoint(parent, at, tracks).distanceTo(worldPoint(child, childAt, tracks)) > SAME_POINT * scene.extent;
    const first = child >= 0 ? child : parent;
    add(apart ? [first] : [parent, child], first, child >= 0 ? childAt : at, [name]);
  }
  for (const path of scene.paths) if (path.body >= 0) add([path.body], path.body, path.xyz, []);
  found.forEach((pin, i) => (pin.letter = letterOf(i)));
  return found;
}

export function pinAt({ bodies, at }: Pin, tracks: Tracks): Vector3 {
  return worldPoint(bodies[0], at.toArray(), tracks);
}

export function worldPoint(body: number, xyz: number[], tracks: Tracks): Vector3 {
  const p = new Vector3().fromArray(xyz);
  return body < 0 ? p : p.applyMatrix4(tracks.matrices[body]);
}

function letterOf(i: number): string {
  return String.fromCharCode(65 + (i % 26)) + (i < 26 ? "" : String(Math.floor(i / 26)));
}
