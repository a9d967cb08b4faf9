// Arrows of forces and rings of moments, drawn over the bodies so that none hides them.

import { ConeGeometry, Curve, CylinderGeometry, Group, Mesh, MeshBasicMaterial, TubeGeometry, Vector3 } from "three";

const Y = new Vector3(0, 1, 0);
const ROUND = 1.75 * Math.PI; // [rad] of the ring of the largest moment
const PIECES = 72;
const AROUND = 8;

export interface Sign {
  readonly group: Group;
  /** Show a quantity at a point, along a unit vector, with a length that stands for its size. */
  point(from: Vector3, along: Vector3, length: number): void;
}

/** A sign for a force or a moment; `full` is the length of the largest, `radius` that of rings. */
export function signOf(moment: boolean, color: string, unit: number, full: number, radius = 4.2 * unit): Sign {
  const material = new MeshBasicMaterial({ color, transparent: true, opacity: 0.85, depthTest: false });
  return moment ? new Ring(material, unit, full, radius) : new Arrow(material, unit);
}

class Arrow implements Sign {
  readonly group = new Group();
  private readonly shaft: Mesh;
  private readonly head: Mesh;

  constructor(material: MeshBasicMaterial, private readonly unit: number) {
    this.shaft = new Mesh(new CylinderGeometry(0.3 * unit, 0.3 * unit, 1, 10).translate(0, 0.5, 0), material);
    this.head = new Mesh(new ConeGeometry(0.85 * unit, 2.2 * unit, 14).translate(0, 1.1 * unit, 0), material);
    this.group.add(this.shaft, this.head);
    for (const mesh of [this.shaft, this.head]) mesh.renderOrder = 2;
  }

  point(from: Vector3, along: Vector3, length: number): void {
    this.group.visible = Number.isFinite(length) && length > 0.2 * this.unit;
    if (!this.group.visible) return;
    this.group.position.copy(from);
    this.group.quaternion.setFromUnitVectors(Y, along);
    this.shaft.scale.set(1, length, 1);
    this.head.position.set(0, length, 0);
  }
}

/** Part of a circle about the axis of a moment, with a head; the larger the moment, the longer. */
class Ring implements Sign {
  readonly group = new Group();
  private readonly arc: Mesh;
  private readonly head: Mesh;

  constructor(material: MeshBasicMaterial, unit: number, private readonly full: number, private readonly radius: number) {
    this.arc = new Mesh(new TubeGeometry(new Circle(this.radius), PIECES, 0.32 * unit, AROUND), material);
    this.head = new Mesh(new ConeGeometry(0.95 * unit, 2.2 * unit, 14), material);
    this.group.add(this.arc, this.head);
    for (const mesh of [this.arc, this.head]) mesh.renderOrder = 2;
  }

  point(from: Vector3, along: Vector3, length: number): void {
    const share = Math.min(length / this.full, 1);
    this.group.visible = Number.isFinite(share) && share > 0.01;
    if (!this.group.visible) return;
    this.group.position.copy(from);
    this.group.quaternion.setFromUnitVectors(Y, along);
    const pieces = Math.max(1, Math.round(share * PIECES));
    this.arc.geometry.setDrawRange(0, 6 * AROUND * pieces);
    const angle = (ROUND * pieces) / PIECES;
    this.head.position.set(this.radius * Math.cos(angle), 0, -this.radius * Math.sin(angle));
    this.head.quaternion.setFromUnitVectors(Y, new Vector3(-Math.sin(angle), 0, -Math.cos(angle)));
  }
}

/** Counterclockwise about y. */
class Circle extends Curve<Vector3> {
  constructor(private readonly radius: number) {
    super();
  }

  override getPoint(t: number, target = new Vector3()): Vector3 {
    return target.set(this.radius * Math.cos(ROUND * t), 0, -this.radius * Math.sin(ROUND * t));
  }
}
