// Distances to singular positions, the branch, and limits that are broken (page_readouts.py gives what they need).

import type { EngineData, Runtime } from "./runtime";

const ROUNDED = 1e-14; // a determinant below is zero
const SLACK = 1e-9; // of a limit that rounding may exceed

/** The determinant of some rows and columns of a matrix with n columns, by elimination. */
function determinant(J: Float64Array, n: number, rows: number[], columns: number[]): number {
  const A = rows.map((r) => columns.map((c) => J[r * n + c]));
  let product = 1;
  for (let k = 0; k < A.length; k++) {
    let best = k;
    for (let i = k + 1; i < A.length; i++) if (Math.abs(A[i][k]) > Math.abs(A[best][k])) best = i;
    if (A[best][k] === 0) return 0;
    if (best !== k) [A[k], A[best], product] = [A[best], A[k], -product];
    product *= A[k][k];
    for (let i = k + 1; i < A.length; i++) {
      const x = A[i][k] / A[k][k];
      if (x !== 0) for (let j = k; j < A.length; j++) A[i][j] -= x * A[k][j];
    }
  }
  return product;
}

/** A number with six digits, as the library writes it. */
function sixDigits(x: number): string {
  return String(Number(x.toPrecision(6)));
}

export interface Singularity {
  distances: Record<string, number>;
  condition: number;
}

export class Readouts {
  constructor(private readonly data: EngineData, private readonly runtime: Runtime) {}

  singularity(q: Float64Array): Singularity {
    const { runtime, data } = this, { type1, type2, base } = data.measure;
    runtime.field("measure.given", q.length).set(q);
    runtime.call("measure_state_range", base, 0n, 1n);
    const found = runtime.field("measure.found", 6);
    const kinds: [string, number, boolean][] = [
      ["type 1", found[0], type1], ["type 2", found[1], type2], ["constraint", found[2], data.has_loops],
    ];
    const distances = Object.fromEntries(kinds.filter(([, x, has]) => has && x < 1).map(([kind, x]) => [kind, x]));
    return { distances, condition: found[3] };
  }

  /** Signs of the determinants of the legs, then of the whole, as `Configuration.branch` has them. */
  branch(q: Float64Array): string {
    const { runtime, data } = this;
    if (data.branch.length === 0 || data.equations === null) return "";
    const program = runtime.program(data.equations);
    program.inputs.q.set(q);
    program.run();
    const signs = data.branch.map(([rows, columns]) => {
      const x = determinant(program.outputs.out, data.sizes.v, rows, columns);
      return Math.abs(x) < ROUNDED ? "0" : x > 0 ? "+" : "-";
    });
    return `${signs.slice(0, -1).join("")}|${signs[signs.length - 1]}`;
  }

  /** Limits of positions that a state breaks. */
  limits(q: Float64Array): string[] {
    const { runtime, data } = this;
    if (!runtime.has("limits")) return [];
    const program = runtime.program("limits");
    program.inputs.q.set(q);
    program.run();
    const found = program.outputs.out, n = found.length / 2;
    return data.limits.flatMap(([sign, text], i) =>
      sign * (found[i] - found[n + i]) + SLACK < 0
        ? [text.replace("{0:.6g}", sixDigits(found[i])).replace("{1:.6g}", sixDigits(found[n + i])).replace(/([{}])\1/g, "$1")]
        : [],
    );
  }
}
