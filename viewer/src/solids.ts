// Bodies and joint signs: one instanced mesh per kind of solid, so that a thousand bodies are a few draw calls.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  ExtrudeGeometry,
  FrontSide,
  Group,
  InstancedMesh,
  Matrix4,
  MeshStandardMaterial,
  Object3D,
  Shape,
  SphereGeometry,
  Vector3,
} from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { Solid, Surface, wholeNumbers } from "./data";
import { spiral } from "./coils";
import { removed } from "./elements";
import { matrixOf } from "./tracks";

interface Piece {
  solid: Solid;
  local: Matrix4;
}

export interface Found {
  layer: "body" | "joint";
  owner: number;
  body: number; // it moves with
}

const IDENTITY = new Matrix4();
const MARK = new Color("#ffdf6b");
const SHARP = 0.6; // [rad] between two triangles with a visible edge

export class Solids {
  readonly group = new Group();
  private meshes: { mesh: InstancedMesh; pieces: Piece[] }[] = [];
  private readonly product = new Matrix4();
  private highlighted: { mesh: InstancedMesh; indices: number[] }[] = [];

  constructor(solids: Solid[], private readonly surfaces: Surface[] = []) {
    this.fill(solids);
  }

  /** Draw these solids instead of those before; what else is in the group stays. */
  fill(solids: Solid[]): void {
    for (const { mesh } of this.meshes) removed(mesh);
    [this.meshes, this.highlighted] = [[], []];
    for (const kind of ["box", "cylinder", "ball", "spiral"] as const) {
      const these = solids.filter((s) => s.kind === kind);
      if (these.length) this.add(unitGeometry(kind, solids.length), these, (s) => new Vector3().fromArray(s.size));
    }
    for (const [surface, these] of grouped(solids.filter((s) => s.kind === "mesh"))) {
      this.add(surfaceGeometry(this.surfaces[surface]), these, () => new Vector3(1, 1, 1));
    }
    for (const s of solids) if (s.kind === "plate") this.add(plateGeometry(s), [s], () => new Vector3(1, 1, 1));
  }

  private add(geometry: BufferGeometry, solids: Solid[], scale: (s: Solid) => Vector3): void {
    for (const opacity of new Set(solids.map(opacityOf))) this.addAlike(geometry, solids.filter((s) => opacityOf(s) === opacity), scale, opacity);
  }

  private addAlike(geometry: BufferGeometry, solids: Solid[], scale: (s: Solid) => Vector3, opacity: number): void {
    const material = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.05, side: solids[0].kind === "mesh" ? DoubleSide : FrontSide });
    if (opacity < 1) Object.assign(material, { transparent: true, opacity, depthWrite: false });
    const mesh = new InstancedMesh(geometry, material, solids.length);
    mesh.frustumCulled = false;
    const pieces = solids.map((solid) => ({ solid, local: matrixOf(solid.at).scale(scale(solid)) }));
    solids.forEach((s, i) => mesh.setColorAt(i, colorOf(s)));
    this.meshes.push({ mesh, pieces });
    this.group.add(mesh);
  }

  place(bodies: Matrix4[]): void {
    for (const { mesh, pieces } of this.meshes) {
      pieces.forEach(({ solid, local }, i) => {
        mesh.setMatrixAt(i, this.product.multiplyMatrices(solid.body < 0 ? IDENTITY : bodies[solid.body], local));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
      mesh.boundingBox = null;
    }
  }

  found(object: Object3D, instance: number | undefined): Found | null {
    const hit = this.meshes.find((m) => m.mesh === object);
    if (!hit || instance === undefined) return null;
    const { layer, owner, body } = hit.pieces[instance].solid;
    return { layer, owner, body };
  }

  /** Color everything that belongs to some bodies and joints; all else has its own color. */
  highlight(what: Found[]): void {
    for (const { mesh, indices } of this.highlighted) {
      const pieces = this.meshes.find((m) => m.mesh === mesh)!.pieces;
      for (const i of indices) mesh.setColorAt(i, colorOf(pieces[i].solid));
      mesh.instanceColor!.needsUpdate = true;
    }
    this.highlighted = [];
    for (const { mesh, pieces } of this.meshes) {
      const indices = pieces.flatMap((p, i) => (what.some((each) => p.solid.layer === each.layer && p.solid.owner === each.owner) ? [i] : []));
      for (const i of indices) mesh.setColorAt(i, colorOf(pieces[i].solid).lerp(MARK, 0.6));
      if (indices.length) {
        mesh.instanceColor!.needsUpdate = true;
        this.highlighted.push({ mesh, indices });
      }
    }
  }
}

/** `#rrggbb`, or `#rrggbbaa` with an opacity. */
function colorOf(solid: Solid): Color {
  return new Color(solid.color.slice(0, 7));
}

function opacityOf(solid: Solid): number {
  return solid.color.length > 7 ? parseInt(solid.color.slice(7), 16) / 255 : 1;
}

function grouped(solids: Solid[]): Map<number, Solid[]> {
  const groups = new Map<number, Solid[]>();
  for (const s of solids) groups.set(s.surface!, [...(groups.get(s.surface!) ?? []), s]);
  return groups;
}

/** Triangles with normals that are smooth but over sharp edges. */
function surfaceGeometry({ low, step, corners, faces }: Surface): BufferGeometry {
  const geometry = new BufferGeometry();
  const positions = Float32Array.from(wholeNumbers(corners), (x, i) => low[i % 3] + x * step[i % 3]);
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(wholeNumbers(faces), 1));
  return toCreasedNormals(geometry, SHARP);
}

function unitGeometry(kind: "box" | "cylinder" | "ball" | "spiral", count: number): BufferGeometry {
  const round = count > 600 ? 10 : 48;
  if (kind === "box") return new BoxGeometry(1, 1, 1);
  if (kind === "spiral") return spiral();
  if (kind === "ball") return new SphereGeometry(1, round, round / 2);
  return new CylinderGeometry(1, 1, 1, round).rotateX(Math.PI / 2);
}

function plateGeometry(solid: Solid): BufferGeometry {
  const thickness = solid.size[0];
  const shape = new Shape();
  for (const [i, [x, y]] of solid.corners!.entries()) i ? shape.lineTo(x, y) : shape.moveTo(x, y);
  return new ExtrudeGeometry(shape, { depth: thickness, bevelEnabled: false }).translate(0, 0, -thickness / 2);
}
