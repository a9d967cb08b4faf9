// Lines and arrows: rods between bodies, frames, paths, efforts, reactions, grid.

import {
  BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  GridHelper,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Quaternion,
  TorusGeometry,
  Vector3,
} from "three";
import { Rod, SceneData } from "./data";
import { removed } from "./elements";
import { matrixOf } from "./tracks";

const Y = new Vector3(0, 1, 0);

const LOOKS = {
  rod: { thin: 0.6, color: "#aa3377" },
  strut: { thin: 0.3, color: "#ccbb44" },
  piston: { thin: 0.35, color: "#888888" }, // inside drawn rods
  tube: { thin: 0.65, color: "#99a3ad" }, // the inner one of a telescope that no file draws
};

/** Straight rods between points of two bodies. */
export class Rods {
  readonly group = new Group();
  private items: { rod: Rod; mesh: Mesh }[] = [];

  constructor(rods: Rod[], unit: number) {
    this.fill(rods, unit);
  }

  fill(rods: Rod[], unit: number): void {
    for (const { mesh } of this.items) removed(mesh);
    this.items = rods.map((rod) => {
      const { thin, color } = LOOKS[rod.kind];
      const mesh = new Mesh(new CylinderGeometry(thin * unit, thin * unit, 1, 12), new MeshStandardMaterial({ color: color }));
      mesh.userData.label = `${rod.kind} ${rod.name}`;
      this.group.add(mesh);
      return { rod, mesh };
    });
  }

  place(bodies: Matrix4[]): void {
    for (const { rod, mesh } of this.items) {
      span(mesh, point(rod.from, rod.a, bodies), point(rod.to, rod.b, bodies));
    }
  }
}

function point(xyz: number[], body: number, bodies: Matrix4[]): Vector3 {
  const p = new Vector3().fromArray(xyz);
  return body < 0 ? p : p.applyMatrix4(bodies[body]);
}

function span(mesh: Mesh, a: Vector3, b: Vector3): void {
  const along = b.clone().sub(a);
  const length = along.length();
  mesh.position.copy(a).add(b).multiplyScalar(0.5);
  mesh.quaternion.setFromUnitVectors(Y, length > 0 ? along.divideScalar(length) : Y);
  mesh.scale.set(1, Math.max(length, 1e-9), 1);
}

/** Coordinate crosses of the named frames and of the world: x red, y green, z blue, as everywhere. */
export class Frames {
  readonly group = new Group();
  private items: { body: number; local: Matrix4; cross: LineSegments }[] = [];

  constructor(scene: SceneData) {
    this.fill(scene);
  }

  fill(scene: SceneData): void {
    for (const { cross } of this.items) removed(cross);
    const size = 0.09 * scene.extent;
    const world = { name: scene.base, body: -1, at: [0, 0, 0, 1, 0, 0, 0] };
    this.items = [world, ...scene.frames].map((frame) => {
      const cross = axes(size);
      cross.matrixAutoUpdate = false;
      this.group.add(cross);
      return { body: frame.body, local: matrixOf(frame.at), cross };
    });
  }

  place(bodies: Matrix4[]): void {
    for (const { body, local, cross } of this.items) {
      if (body < 0) cross.matrix.copy(local);
      else cross.matrix.multiplyMatrices(bodies[body], local);
      cross.matrixWorldNeedsUpdate = true;
    }
  }
}

function axes(size: number): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute([0, 0, 0, size, 0, 0, 0, 0, 0, 0, size, 0, 0, 0, 0, 0, 0, size], 3));
  const colors = ["#cc3311", "#cc3311", "#009988", "#009988", "#0077bb", "#0077bb"].flatMap((c) => new Color(c).toArray());
  geometry.setAttribute("color", new Float32BufferAttribute(colors, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
}

/** A straight arrow for a force, a ring with a head for a moment. */
export class Arrow {
  readonly group = new Group();
  private readonly shaft: Mesh;
  private readonly head: Mesh;
  private readonly ring: Mesh | null = null;

  constructor(color: string, private readonly unit: number, moment: boolean) {
    const material = new MeshBasicMaterial({ color: color, transparent: true, opacity: 0.9 });
    this.shaft = new Mesh(new CylinderGeometry(0.3 * unit, 0.3 * unit, 1, 10).translate(0, 0.5, 0), material);
    this.head = new Mesh(new ConeGeometry(0.85 * unit, 2.2 * unit, 14).translate(0, 1.1 * unit, 0), material);
    this.group.add(this.shaft, this.head);
    if (moment) {
      this.ring = new Mesh(new TorusGeometry(2.2 * unit, 0.25 * unit, 8, 28, 1.6 * Math.PI).rotateX(Math.PI / 2), material);
      this.group.add(this.ring);
    }
  }

  point(from: Vector3, along: Vector3, length: number): void {
    this.group.visible = Number.isFinite(length) && length > 0.2 * this.unit;
    if (!this.group.visible) return;
    this.group.position.copy(from);
    this.group.quaternion.setFromUnitVectors(Y, along);
    this.shaft.scale.set(1, length, 1);
    this.head.position.set(0, length, 0);
    this.ring?.position.set(0, 0.5 * length, 0);
  }
}

/** A grid on the ground, or in the plane of a planar mechanism, with cells of one, two or five times a power of ten. */
export function grid(scene: SceneData, lowest: number, dark: boolean): Group {
  const group = new Group();
  const cell = gridCell(scene);
  const lines = 2 * Math.ceil((1.4 * scene.extent) / cell);
  const [strong, weak] = dark ? ["#5b6470", "#363c44"] : ["#b9bfc7", "#dde1e6"];
  const helper = new GridHelper(lines * cell, lines, strong, weak);
  const up = new Vector3().fromArray(scene.normal ?? scene.up);
  helper.quaternion.copy(new Quaternion().setFromUnitVectors(Y, up));
  const center = new Vector3().fromArray(scene.center);
  const below = scene.normal ? -0.12 * scene.extent : lowest - center.dot(up);
  helper.position.copy(center).addScaledVector(up, below);
  group.add(helper);
  return group;
}

/** Distance [m] between two lines of the grid. */
export function gridCell(scene: SceneData): number {
  return niceLength(scene.extent / 6);
}

export function niceLength(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}
