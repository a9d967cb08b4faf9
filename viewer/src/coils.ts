// Springs: coils between two points, and spirals at joints that turn.

import { BufferGeometry, Curve, TubeGeometry, Vector3 } from "three";

const TURNS = 9;
const STRAIGHT = 0.1; // share of the length at both ends

/** A coil along y from -0.5 to 0.5, whose wire is round at the given length. */
export function coil(length: number, radius: number): BufferGeometry {
  return new TubeGeometry(new Coil(length, radius), 24 * TURNS, 0.22 * radius, 6).scale(1, 1 / Math.max(length, 1e-9), 1);
}

/** A spiral of radius one in the plane of x and y. */
export function spiral(): BufferGeometry {
  return new TubeGeometry(new Spiral(), 120, 0.07, 6);
}

class Coil extends Curve<Vector3> {
  constructor(private readonly length: number, private readonly radius: number) {
    super();
  }

  override getPoint(t: number, target = new Vector3()): Vector3 {
    const share = Math.min(Math.max((t - STRAIGHT) / (1 - 2 * STRAIGHT), 0), 1);
    const out = this.radius * Math.min(1, 12 * Math.min(share, 1 - share));
    const angle = 2 * Math.PI * TURNS * share;
    return target.set(out * Math.cos(angle), (t - 0.5) * this.length, out * Math.sin(angle));
  }
}

class Spiral extends Curve<Vector3> {
  constructor() {
    super();
  }

  override getPoint(t: number, target = new Vector3()): Vector3 {
    const angle = 6 * Math.PI * t;
    return target.set((0.3 + 0.7 * t) * Math.cos(angle), (0.3 + 0.7 * t) * Math.sin(angle), 0);
  }
}
