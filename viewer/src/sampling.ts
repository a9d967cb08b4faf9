// Values between samples.

export type Row = ArrayLike<number>;

/** The sample of rising times at or before a time, and the share of the step to the next. */
export function sampleAt(t: Row, time: number): [number, number] {
  let low = 0;
  let high = t.length - 1;
  if (high < 1 || time <= t[0]) return [0, 0];
  if (time >= t[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  const step = t[high] - t[low];
  return [low, step > 0 ? (time - t[low]) / step : 0];
}

/** The value at a time, on the straight line between two samples; not a number outside of them. */
export function valueAt(t: Row, y: Row, time: number): number {
  if (!t.length || time < t[0] || time > t[t.length - 1]) return NaN;
  const [i, share] = sampleAt(t, time);
  return share > 0 ? y[i] + share * (y[i + 1] - y[i]) : y[i];
}
