// Distance and target of a camera, so that what is drawn just fills the view.

import { Box3, InstancedMesh, Matrix4, Mesh, Object3D, Vector3 } from "three";

export interface Fit {
  center: Vector3;
  distance: number;
  width: number;
  height: number;
}

const MARGIN = 1.12;
const BUTTONS = 90; // [pixels] that the buttons over the drawing need above and below

/**
 * The fit of points seen from a unit direction with a given screen-up, for the tangents of half the view's angles.
 * The share `empty` of the width on the left stays empty; buttons cover a part of the height of
 * a narrow picture.
 */
export function fitted(points: Vector3[], from: Vector3, up: Vector3, across: number, upward: number, empty: number, tall: number): Fit {
  const high = MARGIN + (across < upward * 1.3 ? BUTTONS / tall : 0);
  const right = new Vector3().crossVectors(up, from).normalize();
  const top = new Vector3().crossVectors(from, right);
  const depth = points.map((p) => p.dot(from));
  const [x, y] = [right, top].map((axis) => points.map((p) => p.dot(axis)));
  const h = side(x, depth, (across * (1 - 2 * empty)) / MARGIN, across / MARGIN);
  const v = side(y, depth, upward / high, upward / high);
  const distance = Math.max(h.distance, v.distance);
  const back = 0.5 * (highest(depth) + lowest(depth)); // turn about the middle of the depth
  const center = new Vector3().addScaledVector(right, h.middle(distance)).addScaledVector(top, v.middle(distance));
  const [width, height] = [MARGIN * spread(x), high * spread(y)];
  return { center: center.addScaledVector(from, back), distance: distance - back, width: width / (1 - empty), height };
}

/**
 * The smallest distance from which points at x and at a depth are seen between two half angles, given by their tangents,
 * and at a larger distance where to look.
 */
function side(x: number[], depth: number[], before: number, after: number): { distance: number; middle: (d: number) => number } {
  const high = (tangent: number) => highest(x.map((a, i) => a + tangent * depth[i]));
  const low = (tangent: number) => lowest(x.map((a, i) => a - tangent * depth[i]));
  const [most, least] = [high(after), low(before)];
  const even = 0.5 * (most + low(after));
  return {
    distance: (most - least) / (after + before),
    middle: (d) => Math.max(most - after * d, Math.min(even, least + before * d)),
  };
}

export function highest(x: number[]): number {
  return x.reduce((a, b) => Math.max(a, b), -Infinity);
}

export function lowest(x: number[]): number {
  return x.reduce((a, b) => Math.min(a, b), Infinity);
}

function spread(x: number[]): number {
  return highest(x) - lowest(x);
}

/** Corners of the boxes round everything drawn below an object, in the world. */
export function cloud(root: Object3D): Vector3[] {
  const points: Vector3[] = [];
  const one = new Matrix4();
  root.updateMatrixWorld(true);
  root.traverse((object) => {
    const { geometry } = object as Mesh;
    if (!geometry) return;
    geometry.computeBoundingBox();
    const corners = cornersOf(geometry.boundingBox!);
    const many = (object as InstancedMesh).isInstancedMesh ? (object as InstancedMesh) : null;
    for (let i = 0; i < (many?.count ?? 1); i++) {
      if (many) many.getMatrixAt(i, one);
      else one.identity();
      one.premultiply(object.matrixWorld);
      for (const corner of corners) points.push(corner.clone().applyMatrix4(one));
    }
  });
  return points.filter((p) => Number.isFinite(p.x + p.y + p.z));
}

export function cornersOf({ min, max }: Box3): Vector3[] {
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));
}
