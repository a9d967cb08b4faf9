// Flexible links: tubes along the bent centre line.

import { BufferAttribute, CylinderGeometry, Group, Matrix4, Mesh, MeshStandardMaterial } from "three";
import { BeamData } from "./data";

const ROUND = 12;

export class Beams {
  readonly group = new Group();
  private readonly items: { beam: BeamData; mesh: Mesh; straight: Float32Array }[];

  constructor(beams: BeamData[]) {
    this.items = beams.map((beam) => {
      const mesh = new Mesh(tube(beam), new MeshStandardMaterial({ color: beam.colour, roughness: 0.55 }));
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      mesh.userData.label = `flexible link ${beam.name}`;
      this.group.add(mesh);
      return { beam, mesh, straight: Float32Array.from(mesh.geometry.attributes.position.array) };
    });
  }

  /** Bend by the modal coordinates, which `coordinate` gives by their column in q. */
  place(bodies: Matrix4[], coordinate: (column: number) => number): void {
    for (const { beam, mesh, straight } of this.items) {
      const position = mesh.geometry.attributes.position as BufferAttribute;
      const eta = Array.from({ length: beam.count }, (_, k) => coordinate(beam.column + k) || 0);
      const last = beam.stations.length - 1;
      for (let i = 0; i < position.count; i++) {
        const station = Math.round((straight[3 * i] / beam.stations[last]) * last);
        for (let axis = 0; axis < 3; axis++) {
          let moved = straight[3 * i + axis];
          for (let k = 0; k < beam.count; k++) moved += eta[k] * beam.fields[(station * beam.count + k) * 3 + axis];
          position.array[3 * i + axis] = moved;
        }
      }
      position.needsUpdate = true;
      mesh.matrix.copy(bodies[beam.body]);
      mesh.matrixWorldNeedsUpdate = true;
      mesh.geometry.boundingSphere = null;
      mesh.geometry.boundingBox = null;
    }
  }
}

/** A cylinder along x from 0 to the length, with a ring of corners at every station. */
function tube(beam: BeamData): CylinderGeometry {
  const length = beam.stations[beam.stations.length - 1];
  const made = new CylinderGeometry(beam.radius, beam.radius, length, ROUND, beam.stations.length - 1);
  made.translate(0, length / 2, 0).rotateZ(-Math.PI / 2);
  return made;
}
