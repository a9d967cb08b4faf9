// Lines and arrows: rods between bodies, frames, paths, efforts, reactions, grid.

import {
  BufferGeometry,
  Color,
  CylinderGeometry,
  Float32BufferAttribute,
  GridHelper,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  Vector3,
} from "three";
import { Rod, SceneData } from "./data";
import { coil } from "./coils";
import { removed } from "./elements";
import { matrixOf } from "./tracks";

const Y = new Vector3(0, 1, 0);

const LOOKS = {
  rod: { thin: 0.6, color: "#aa3377" },
  strut: { thin: 0.3, color: "#ccbb44" },
  piston: { thin: 0.35, color: "#888888" }, // inside drawn rods
  tube: { thin: 0.65, color: "#99a3ad" }, // the inner one of a telescope that no file draws
  spring: { thin: 1.5, color: "#b0a030" }, // a coil
};

/** Straight rods between points of two bodies. */
export class Rods {
  readonly group = new Group();
  private items: { rod: Rod; mesh: Mesh; drawn: number }[] = [];

  constructor(rods: Rod[], private unit: number) {
    this.fill(rods, unit);
  }

  fill(rods: Rod[], unit: number): void {
    this.unit = unit;
    for (const { mesh } of this.items) removed(mesh);
    this.items = rods.map((rod) => {
      const { thin, color } = LOOKS[rod.kind];
      const mesh = new Mesh(new CylinderGeometry(thin * unit, thin * unit, 1, 12), new MeshStandardMaterial({ color: color }));
      mesh.userData.label = `${rod.kind} ${rod.name}`;
      this.group.add(mesh);
      return { rod, mesh, drawn: 0 };
    });
  }

  /** A coil for a length; its wire stays round while the length changes little. */
  private wind(item: Rods["items"][number], length: number): void {
    item.mesh.geometry.dispose();
    item.mesh.geometry = coil(length, LOOKS.spring.thin * this.unit);
    item.drawn = length;
  }

  place(bodies: Matrix4[]): void {
    for (const item of this.items) {
      const { rod, mesh } = item;
      const length = span(mesh, point(rod.from, rod.a, bodies), point(rod.to, rod.b, bodies));
      if (rod.kind === "spring" && Math.abs(Math.log(length / item.drawn)) > 0.3) this.wind(item, length);
    }
  }
}

function point(xyz: number[], body: number, bodies: Matrix4[]): Vector3 {
  const p = new Vector3().fromArray(xyz);
  return body < 0 ? p : p.applyMatrix4(bodies[body]);
}

function span(mesh: Mesh, a: Vector3, b: Vector3): number {
  const along = b.clone().sub(a);
  const length = along.length();
  mesh.position.copy(a).add(b).multiplyScalar(0.5);
  mesh.quaternion.setFromUnitVectors(Y, length > 0 ? along.divideScalar(length) : Y);
  mesh.scale.set(1, Math.max(length, 1e-9), 1);
  return length;
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
