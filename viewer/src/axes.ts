// Ranges, ticks and numbers of the axes of a chart.

import { Row } from "./sampling";

export type Range = [number, number];

const NOISE = 1e-13; // in SI units: rounding of a quantity that is zero

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

/** Round numbers within a range, at most as many as given (but two), and how they are written. */
export function ticks([low, high]: Range, most: number): { at: number[]; label: (x: number) => string; factor: string } {
  const step = stepAbove((high - low) / Math.max(most, 2));
  const at: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) at.push(k * step);
  const peak = Math.max(Math.abs(low), Math.abs(high));
  const power = peak >= 1e5 || peak < 1e-2 ? Math.floor(Math.log10(Math.max(...at.map(Math.abs), step)) + 1e-9) : 0;
  const digits = Math.max(0, Math.min(12, power - Math.floor(Math.log10(step) + 1e-9)));
  const label = (x: number) => (x / 10 ** power).toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");
  return { at, label, factor: power ? `\u00D7 1e${power}` : "" };
}

function stepAbove(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return power * (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10);
}
