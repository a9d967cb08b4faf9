// Curves of a chart: their numbers, and their lines as SVG paths.

import { PlotData, unpacked } from "./data";
import { Range } from "./axes";
import { Row, sampleAt, valueAt } from "./sampling";

// Tol's bright colors, then the same dashed.
export const CURVES = ["#4477aa", "#ee6677", "#228833", "#b0a030", "#46aed0", "#aa3377", "#7d7d7d"];

export interface Curve {
  name: string;
  unit: string;
  color: string;
  dash: string;
  t: Row;
  y: Row;
  ghost: { t: Row; y: Row } | null; // of the run it is compared with
}

export function curvesOf(plot: PlotData): Curve[] {
  const own = columns(plot.t, plot.values, plot.names.length);
  const other = plot.ghost ? columns(plot.ghost.t, plot.ghost.values, plot.names.length) : null;
  return plot.names.map((name, k) => ({
    name,
    unit: plot.unit,
    color: CURVES[k % CURVES.length],
    dash: k < CURVES.length ? "" : k < 2 * CURVES.length ? "6 3" : "2 2",
    t: own.t,
    y: own.y[k],
    ghost: other && { t: other.t, y: other.y[k] },
  }));
}

function columns(time: PlotData["t"], values: PlotData["values"], count: number): { t: Row; y: Row[] } {
  const [t, flat] = [unpacked(time), unpacked(values)];
  return { t, y: Array.from({ length: count }, (_, k) => flat.subarray(k * t.length, (k + 1) * t.length)) };
}

/** Another quantity at the times of a curve. */
export function resampled(t: Row, other: { t: Row; y: Row }): Row {
  return Array.from(t, (time) => valueAt(other.t, other.y, time));
}

/** Indices of the samples within a range of time, and of one neighbor on both sides. */
export function within(t: Row, [low, high]: Range): [number, number] {
  return [Math.max(0, sampleAt(t, low)[0]), Math.min(t.length - 1, sampleAt(t, high)[0] + 1)];
}

/**
 * A line through points; values that are not numbers interrupt it. Where there are many more points than pixels, which
 * only rising x have, each pixel keeps its first, lowest, highest and last one.
 */
export function line(x: (i: number) => number, y: (i: number) => number, from: number, to: number, wide: number): string {
  const thin = Number.isFinite(wide) && to - from > 6 * wide;
  let text = "";
  let down = false;
  const put = (i: number) => {
    const [a, b] = [x(i), y(i)];
    if (!Number.isFinite(a + b)) down = false;
    else {
      text += `${down ? "L" : "M"}${a.toFixed(2)} ${b.toFixed(2)}`;
      down = true;
    }
  };
  for (let i = from; i <= to; ) {
    let end = i;
    if (thin) while (end < to && Math.floor(x(end + 1)) === Math.floor(x(i))) end++;
    for (const k of thin ? extremes(y, i, end) : [i]) put(k);
    i = end + 1;
  }
  return text;
}

/** First, lowest, highest and last of some samples, in order. */
function extremes(y: (i: number) => number, from: number, to: number): number[] {
  let [low, high] = [from, from];
  for (let i = from; i <= to; i++) {
    if (!Number.isFinite(y(i))) return Array.from({ length: to - from + 1 }, (_, k) => from + k);
    if (y(i) < y(low)) low = i;
    if (y(i) > y(high)) high = i;
  }
  return [...new Set([from, Math.min(low, high), Math.max(low, high), to])];
}
