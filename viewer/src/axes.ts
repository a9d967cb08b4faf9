// Ranges, ticks and numbers of the axes of a chart.

import { number } from "./elements";
import { Row } from "./sampling";
import { svg } from "./saving";

export type Range = [number, number];

/** Where the axes of a chart are, in pixels. */
export interface Box {
  left: number;
  top: number;
  wide: number;
  high: number;
}

export interface Axis {
  range: Range;
  label: string;
  log?: boolean; // the range is of powers of ten
  bare?: boolean; // without numbers
  counts?: boolean; // its numbers have no fractions
}

const NOISE = 1e-13; // in SI units: rounding of a quantity that is zero
export const EVERYTHING: Range = [Infinity, -Infinity];

/** Smallest and largest of the values at some indices, joined to a range; those that are not numbers do not count. */
export function extended(range: Range, values: Row, from = 0, to = values.length - 1): Range {
  let [low, high] = range;
  for (let i = from; i <= to; i++) {
    const x = values[i];
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return [low, high];
}

/** Ends of an axis somewhat beyond the values; values that are all alike are seen from zero, zeros from -1 to 1. */
export function spread([low, high]: Range, exact = false): Range {
  const peak = Math.max(Math.abs(low), Math.abs(high));
  if (!Number.isFinite(low + high) || peak === 0 || (peak < NOISE && !exact)) return [-1, 1];
  if (high - low < 1e-9 * peak) return [Math.min(0, 1.5 * low), Math.max(0, 1.5 * high)];
  const beyond = 0.06 * (high - low);
  return [low - beyond, high + beyond];
}

/** Two ranges so that a unit is as long on both axes. */
export function equalized(x: Range, y: Range, { wide, high }: Box): [Range, Range] {
  const size = Math.max((x[1] - x[0]) / wide, (y[1] - y[0]) / high);
  const widened = ([low, top]: Range, pixels: number): Range => [0.5 * (low + top - size * pixels), 0.5 * (low + top + size * pixels)];
  return [widened(x, wide), widened(y, high)];
}

/** Round numbers within a range, at most as many as given (but two), and how they are written. */
export function ticks([low, high]: Range, most: number, log = false, counts = false): { at: number[]; label: (x: number) => string; factor: string } {
  const label2 = (x: number) => number(10 ** x, 2).replace("e+", "e");
  const within = log ? LEADING.map((leads) => roundPowers(low, high, leads)).find((found) => found.length > 1 && found.length <= Math.max(most, 2)) : undefined;
  if (within) return { at: within, label: label2, factor: "" };
  const step = Math.max(counts && !log ? 1 : 0, stepAbove((high - low) / Math.max(most, 2), log));
  const at: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) at.push(k * step);
  if (log) return { at, label: label2, factor: "" };
  const peak = Math.max(Math.abs(low), Math.abs(high));
  const power = peak >= 1e5 || peak < 1e-2 ? Math.floor(Math.log10(Math.max(...at.map(Math.abs), step)) + 1e-9) : 0;
  const digits = Math.max(0, Math.min(12, power - Math.floor(Math.log10(step) + 1e-9)));
  const label = (x: number) => (x / 10 ** power).toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");
  return { at, label, factor: power ? `\u00D7 1e${power}` : "" };
}

const LEADING = [[1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9], [1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1]]; // digits of ticks, the densest that fit

/** Logarithms of the numbers within a range that begin with some digits. */
function roundPowers(low: number, high: number, leads: number[]): number[] {
  const found: number[] = [];
  if (high - low > 12) return found;
  for (let k = Math.floor(low); k <= high; k++) found.push(...leads.map((lead) => k + Math.log10(lead)));
  return found.filter((x) => x >= low - 1e-9 && x <= high + 1e-9);
}

/** A round step; of powers of ten whole ones, unless the range holds less than two. */
function stepAbove(x: number, log: boolean): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  const step = power * (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10);
  return log && step > 0.25 ? Math.max(1, Math.ceil(step)) : step;
}

export function caption(x: number, y: number, text: string, anchor: string): SVGTextElement {
  const made = svg("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}

/** Grid lines, numbers and labels. */
export function drawnAxes(x: Axis, y: Axis, { left, top, wide, high }: Box): SVGElement[] {
  const made: SVGElement[] = [];
  const across = ticks(x.range, wide / 70, x.log, x.counts);
  for (const value of across.at) {
    const at = left + ((value - x.range[0]) / (x.range[1] - x.range[0])) * wide;
    made.push(svg("line", { x1: at, x2: at, y1: top, y2: top + high }), caption(at, top + high + 15, across.label(value), "middle"));
  }
  const up = ticks(y.range, Math.max(2, high / 26), y.log);
  for (const value of y.bare ? [] : up.at) {
    const at = top + (1 - (value - y.range[0]) / (y.range[1] - y.range[0])) * high;
    made.push(svg("line", { x1: left, x2: left + wide, y1: at, y2: at, class: value === 0 && !y.log ? "zero" : "" }), caption(left - 6, at + 4, up.label(value), "end"));
  }
  if (x.label) made.push(caption(left + 0.5 * wide, top + high + 31, x.label, "middle"));
  const beside = y.bare ? "" : [y.label, up.factor].filter(Boolean).join(" ");
  if (beside) made.push(caption(y.label ? 4 : left, top - (y.label ? 7 : 3), beside, "start"));
  if (across.factor) made.push(caption(left + wide + 8, top + high + 23, across.factor, "end"));
  return made;
}
