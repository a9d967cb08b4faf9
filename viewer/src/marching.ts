// The surface where a field on a grid passes zero, by tetrahedra: six of each cell, all along its long diagonal.

export interface Field {
  shape: number[]; // nx, ny, nz
  at: (i: number, j: number, k: number) => number;
}

// Corners of a cell are numbered by bits x y z; each path from 0 to 7 is a tetrahedron.
const TETRAHEDRA = [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]].map(([a, b]) => [0, a, b, 7]);

/** Triangles of the surface as grid coordinates, nine numbers each. */
export function surfaceOf({ shape, at }: Field): number[] {
  const out: number[] = [];
  const values = new Array<number>(8);
  for (let i = 0; i + 1 < shape[0]; i++)
    for (let j = 0; j + 1 < shape[1]; j++)
      for (let k = 0; k + 1 < shape[2]; k++) {
        let inside = 0;
        for (let c = 0; c < 8; c++) {
          values[c] = at(i + (c & 1), j + ((c >> 1) & 1), k + (c >> 2));
          if (values[c] > 0) inside++;
        }
        if (inside > 0 && inside < 8) for (const corners of TETRAHEDRA) divide(corners, values, [i, j, k], out);
      }
  return out;
}

function divide(corners: number[], values: number[], cell: number[], out: number[]): void {
  const inner = corners.filter((c) => values[c] > 0);
  const outer = corners.filter((c) => values[c] <= 0);
  if (!inner.length || !outer.length) return;
  const cross = (a: number, b: number): number[] => {
    const share = values[a] / (values[a] - values[b]);
    return [0, 1, 2].map((axis) => cell[axis] + bit(a, axis) + share * (bit(b, axis) - bit(a, axis)));
  };
  if (inner.length === 2) {
    const [p, q, r, s] = [cross(inner[0], outer[0]), cross(inner[0], outer[1]), cross(inner[1], outer[1]), cross(inner[1], outer[0])];
    out.push(...p, ...q, ...r, ...p, ...r, ...s);
    return;
  }
  const [one, others] = inner.length === 1 ? [inner[0], outer] : [outer[0], inner];
  for (const other of others) out.push(...cross(one, other));
}

function bit(corner: number, axis: number): number {
  return (corner >> axis) & 1;
}
