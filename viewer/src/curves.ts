// Curves and areas of a chart: their numbers, and their lines as SVG paths.

import { Range } from "./axes";
import { PanelData, splitLabel } from "./chart_data";
import { unpacked } from "./data";
import { Row, sampleAt, valueAt } from "./sampling";

// Tol's bright colors, then the same dashed.
export const CURVES = ["#4477aa", "#ee6677", "#228833", "#b0a030", "#46aed0", "#aa3377", "#7d7d7d"];

export interface Curve {
  name: string;
  unit: string;
  color: string;
  dash: string;
  dots: boolean;
  rising: boolean; // over t
  t: Row;
  y: Row;
  low: Row | null; // of an area that reaches up to y
  ghost: { t: Row; y: Row } | null; // of the run it is compared with
}

/** The curves of a panel, then its areas; on logarithmic axes their numbers are powers of ten. */
export function curvesOf(panel: PanelData): Curve[] {
  const logged = (row: Float32Array | Float64Array): Row => (panel.log ? row.map((x) => (x > 0 ? Math.log10(x) : NaN)) : row);
  const x = panel.x.map((each) => logged(unpacked(each)));
  const rising = x.map((row) => isRising(row));
  const [name, unit] = splitLabel(panel.beside);
  const common = { unit, dots: false, dash: "", ghost: null, low: null };
  const curves: Curve[] = panel.curves.map((each, k) => ({
    ...common,
    name: each.name || name,
    color: CURVES[k % CURVES.length],
    dash: each.dashed ? "6 3" : k < CURVES.length ? "" : k < 2 * CURVES.length ? "6 3" : "2 2",
    dots: Boolean(each.dots) || x[each.x].length < 2,
    rising: rising[each.x],
    t: x[each.x],
    y: logged(unpacked(each.y)),
    ghost: each.other ? { t: x[each.other.x], y: logged(unpacked(each.other.y)) } : null,
  }));
  const areas: Curve[] = panel.bands.map((each, k) => ({
    ...common,
    name: each.name || name,
    color: CURVES[curves.length ? 0 : k % CURVES.length],
    rising: rising[each.x],
    t: x[each.x],
    y: logged(unpacked(each.high)),
    low: logged(unpacked(each.low)),
  }));
  return [...curves, ...areas];
}

function isRising(row: Row): boolean {
  for (let i = 1; i < row.length; i++) if (!(row[i] >= row[i - 1])) return false;
  return true;
}

/** Another quantity at the times of a curve. */
export function resampled(t: Row, other: { t: Row; y: Row }): Row {
  return Array.from(t, (time) => valueAt(other.t, other.y, time));
}

/** Indices of the samples within a range of time, and of one neighbor on both sides. */
export function within(t: Row, [low, high]: Range): [number, number] {
  return [Math.max(0, sampleAt(t, low)[0]), Math.min(t.length - 1, sampleAt(t, high)[0] + 1)];
}

export type Pixel = (i: number) => number;

/**
 * A line through points; values that are not numbers interrupt it. Where there are many more points than pixels, which
 * only rising x have, each pixel keeps its first, lowest, highest and last one.
 */
export function line(x: Pixel, y: Pixel, from: number, to: number, wide: number): string {
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

/** Points without lines. */
export function spots(x: Pixel, y: Pixel, from: number, to: number): string {
  let text = "";
  for (let i = from; i <= to; i++) if (Number.isFinite(x(i) + y(i))) text += `M${x(i).toFixed(2)} ${y(i).toFixed(2)}h0`;
  return text;
}

/** The outlines of an area, one for each part between values that are not numbers. */
export function area(x: Pixel, low: Pixel, high: Pixel, from: number, to: number): string {
  let text = "";
  for (let i = from; i <= to; i++) {
    let end = i;
    while (end <= to && Number.isFinite(x(end) + low(end) + high(end))) end++;
    if (end === i) continue;
    const back = Array.from({ length: end - i }, (_, k) => `L${x(end - 1 - k).toFixed(2)} ${low(end - 1 - k).toFixed(2)}`);
    text += `${line(x, high, i, end - 1, Infinity)}${back.join("")}Z`;
    i = end;
  }
  return text;
}

/** First, lowest, highest and last of some samples, in order. */
function extremes(y: Pixel, from: number, to: number): number[] {
  let [low, high] = [from, from];
  for (let i = from; i <= to; i++) {
    if (!Number.isFinite(y(i))) return Array.from({ length: to - from + 1 }, (_, k) => from + k);
    if (y(i) < y(low)) low = i;
    if (y(i) > y(high)) high = i;
  }
  return [...new Set([from, Math.min(low, high), Math.max(low, high), to])];
}
