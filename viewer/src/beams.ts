// Flexible links: tubes along the bent center line.

import { BufferAttribute, CylinderGeometry, Group, Matrix4, Mesh, MeshStandardMaterial } from "three";
import { BeamData } from "./data";
import { removed } from "./elements";

const ROUND = 12;

interface Item {
  beam: BeamData;
  mesh: Mesh;
  straight: Float32Array;
  largest: number;
}

export class Beams {
  readonly group = new Group();
  times = 1; // how much larger the bending is drawn
  private items: Item[] = [];

  constructor(beams: BeamData[]) {
    this.fill(beams);
  }

  fill(beams: BeamData[]): void {
    for (const { mesh } of this.items) removed(mesh);
    this.items = beams.map((beam) => {
      const mesh = new Mesh(tube(beam), new MeshStandardMaterial({ color: beam.color, roughness: 0.55 }));
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      Object.assign(mesh.userData, { label: `flexible link ${beam.name}`, body: beam.body });
      this.group.add(mesh);
      return { beam, mesh, straight: Float32Array.from(mesh.geometry.attributes.position.array), largest: 0 };
    });
  }

  get count(): number {
    return this.items.length;
  }

  /** The largest true deflection [m] now and the link it is of. */
  largest(): { name: string; size: number } {
    const { beam, largest } = this.items.reduce((a, b) => (b.largest > a.largest ? b : a));
    return { name: beam.name, size: largest };
  }

  /** Bend by the modal coordinates, which `coordinate` gives by their column in q. */
  place(bodies: Matrix4[], coordinate: (column: number) => number): void {
    for (const item of this.items) {
      const { beam, mesh, straight } = item;
      const position = mesh.geometry.attributes.position as BufferAttribute;
      const bent = deflections(beam, Array.from({ length: beam.count }, (_, k) => coordinate(beam.column + k) || 0));
      const drawn = enlarged(beam, bent, this.times);
      const last = beam.stations.length - 1;
      for (let i = 0; i < position.count; i++) {
        const station = Math.round((straight[3 * i] / beam.stations[last]) * last);
        for (let axis = 0; axis < 3; axis++) position.array[3 * i + axis] = straight[3 * i + axis] + drawn[3 * station + axis];
      }
      position.needsUpdate = true;
      mesh.matrix.copy(bodies[beam.body]);
      mesh.matrixWorldNeedsUpdate = true;
      mesh.geometry.boundingSphere = null;
      mesh.geometry.boundingBox = null;
      item.largest = Math.max(...beam.stations.map((_, s) => Math.hypot(bent[3 * s], bent[3 * s + 1], bent[3 * s + 2])));
    }
  }
}

/** Displacement x y z of every station, [m]. */
function deflections(beam: BeamData, eta: number[]): Float64Array {
  const bent = new Float64Array(3 * beam.stations.length);
  for (let s = 0; s < beam.stations.length; s++) {
    for (let k = 0; k < beam.count; k++) {
      for (let axis = 0; axis < 3; axis++) bent[3 * s + axis] += eta[k] * beam.fields[(s * beam.count + k) * 3 + axis];
    }
  }
  return bent;
}

/** Bending made larger between the stations that carry other bodies; those stay where they truly are. */
export function enlarged(beam: BeamData, bent: Float64Array, times: number): Float64Array {
  if (times === 1) return bent;
  const drawn = new Float64Array(bent.length);
  for (let s = 0; s < beam.stations.length; s++) {
    const after = beam.held.findIndex((knot) => knot >= s);
    const right = after < 0 ? beam.held[beam.held.length - 1] : beam.held[after];
    const left = after <= 0 ? right : beam.held[after - 1];
    const share = right > left ? (s - left) / (right - left) : 0;
    for (let axis = 0; axis < 3; axis++) {
      const line = (1 - share) * bent[3 * left + axis] + share * bent[3 * right + axis];
      drawn[3 * s + axis] = line + times * (bent[3 * s + axis] - line);
    }
  }
  return drawn;
}

/** A cylinder along x from 0 to the length, with a ring of corners at every station. */
function tube(beam: BeamData): CylinderGeometry {
  const length = beam.stations[beam.stations.length - 1];
  const made = new CylinderGeometry(beam.radius, beam.radius, length, ROUND, beam.stations.length - 1);
  made.translate(0, length / 2, 0).rotateZ(-Math.PI / 2);
  return made;
}
