// Sliders and fields of the actuators, what they reach, and the motions that they can be driven with.

import { breakable, element, write } from "./elements";
import type { Motion, Reach } from "./engine/engine";
import type { Play } from "./play";

const TURN = 2 * Math.PI;
const SWING = 0.3; // of what an actuator reaches, at most this [rad]
const FREQUENCY = 0.5; // [Hz]
const LIGHT = 1e-3; // of the moment of the weight
const SLOW = 60; // [ms]: reaches that take longer are computed one after the other

interface Row {
  range: HTMLInputElement;
  entry: HTMLInputElement;
  unit: HTMLElement;
  effort: HTMLElement;
  held: boolean;
  box: HTMLElement;
}

interface Drive {
  amplitude: HTMLInputElement;
  frequency: HTMLInputElement;
  unit: HTMLElement;
}

export class Actuators {
  readonly box = element("div", { class: "sliders", role: "group", "aria-label": "Actuators" });
  readonly drives = element("div", { class: "drives", role: "group", "aria-label": "Motions of the actuators", hidden: "" });
  readonly names: string[];
  readonly units: string[];
  private readonly rows: Row[];
  private readonly motions: Drive[];
  private readonly reaches: (Reach | null)[];
  private readonly least: number; // an effort that four digits are shown of, at least
  private recording: { t: number[]; x: number[][] } | null = null;

  constructor(private readonly play: Play) {
    const { actuators } = play.data.engine!;
    this.names = actuators.names;
    const { bodies, gravity, length } = play.data.engine!;
    this.least = LIGHT * Math.hypot(...gravity) * length * bodies.reduce((sum, { mass }) => sum + mass, 0);
    this.units = actuators.lengths.map((length) => (length ? "m" : "rad"));
    this.reaches = this.names.map(() => null);
    this.rows = this.names.map((name, i) => this.row(name, i));
    this.motions = this.names.map((name, i) => this.motion(name, i));
    play.parts.push(this);
    play.rested.push(() => this.measure());
    this.measure();
  }

  private row(name: string, i: number): Row {
    const { play } = this;
    const range = element("input", { type: "range", step: "any", "data-live": "true", "aria-label": name });
    const entry = play.units.field(this.units[i], name, (x) => this.drive(i, x));
    const row = { range, entry, unit: element("span", { class: "unit" }), effort: element("output", { class: "effort" }), held: false, box: element("div", { class: "slider" }) };
    range.addEventListener("pointerdown", () => (row.held = true));
    range.addEventListener("input", () => this.drive(i, this.unwrapped(i, Number(range.value))));
    for (const end of ["change", "pointerup", "pointercancel"] as const) {
      range.addEventListener(end, () => {
        row.held = false;
        this.read();
      });
    }
    row.box.append(element("span", { title: name }, breakable(name)), range, entry, row.unit, row.effort);
    this.box.append(row.box);
    return row;
  }

  /** Move one actuator; the others stay. */
  private drive(i: number, x: number): void {
    if (!Number.isFinite(x)) return this.read();
    this.play.hand(() => this.play.engine.drive(i, x));
  }

  /** The angle nearest to the present one that a slider of one turn means. */
  private unwrapped(i: number, x: number): number {
    const now = this.play.engine.state.actuators[i];
    return this.reaches[i]?.whole ? x + TURN * Math.round((now - x) / TURN) : x;
  }

  /** What the actuators reach from here, one after the other where it takes long. */
  private measure(from = 0): void {
    const start = performance.now(), { q } = this.play.spot;
    for (let i = from; i < this.rows.length; i++) {
      this.reaches[i] = this.play.engine.reach(i);
      if (performance.now() - start < SLOW || i + 1 === this.rows.length) continue;
      window.setTimeout(() => {
        const now = this.play.engine.state.q;
        if (!this.play.inRun && q.every((x, k) => x === now[k])) this.measure(i + 1);
      });
      break;
    }
    this.read();
  }

  read(): void {
    const { state } = this.play.engine;
    const peak = Math.max(this.least, ...Array.from(state.efforts, (x) => (Number.isFinite(x) ? Math.abs(x) : 0)));
    this.rows.forEach((row, i) => this.readRow(row, i, state.actuators[i], state.efforts[i], peak));
    this.motions.forEach((motion, i) => (motion.unit.textContent = this.play.units.name(this.units[i])));
  }

  /** A slider shows the value that the mechanism has, but while somebody moves it. */
  private readRow(row: Row, i: number, x: number, effort: number, peak: number): void {
    const { units, engine } = this.play, unit = this.units[i], { low, high, whole } = this.reaches[i] ?? { low: x, high: x, whole: false };
    if (!row.held) {
      row.range.min = String(whole ? -Math.PI : Math.min(low, x));
      row.range.max = String(whole ? Math.PI : Math.max(high, x));
      row.range.value = String(whole ? x - TURN * Math.round(x / TURN) : x);
    }
    units.fill(row.entry, x, unit);
    row.range.setAttribute("aria-valuetext", units.text(x, unit));
    row.range.disabled = !whole && this.reaches[i] !== null && low === high;
    row.range.title = row.range.disabled ? "does not move alone from here" : whole ? "turns all the way round" : `reaches ${units.text(low, unit, 4)} to ${units.text(high, unit, 4)}`;
    write(row.unit, units.name(unit));
    write(row.effort, units.text(rounded(effort, peak), unit === "m" ? "N" : "N m", 3, peak));
    row.box.classList.toggle("over", engine.state.limits.some((text) => text.includes(`'${this.names[i]}'`)));
  }

  // --- motions of driven actuators ----------------------------------------------------------------------------------

  private motion(name: string, i: number): Drive {
    const { units } = this.play, field = (title: string, value: number, unit: string) => {
      const entry = units.field(unit, title, () => this.setMotions());
      entry.value = units.digits(value, unit, 3);
      return entry;
    };
    const amplitude = field(`amplitude of ${name}`, this.swing(i), this.units[i]);
    const frequency = field(`frequency of ${name} in hertz`, FREQUENCY, "");
    const unit = element("span", { class: "unit" });
    this.drives.append(element("div", { class: "drive" }, element("span", { title: name }, breakable(name)), element("span", {}, "\u00B1"), amplitude, unit, element("span", {}, "at"), frequency, element("span", {}, "Hz")));
    units.listen(() => (amplitude.value = units.digits(this.swing(i), this.units[i], 3)));
    return { amplitude, frequency, unit };
  }

  /** An amplitude to begin with. */
  private swing(i: number): number {
    const length = this.units[i] === "m", most = length ? 0.1 * this.play.data.engine!.length : SWING;
    const reach = this.reaches[i], x = this.play.engine.state.actuators[i];
    return reach && !reach.whole ? Math.max(0.02 * most, Math.min(most, 0.5 * Math.min(x - reach.low, reach.high - x))) : most;
  }

  /** Actuators are driven by sines about where they are, or by what was recorded. */
  setMotions(): void {
    const { play } = this, { state } = play.engine;
    this.drives.hidden = play.options.motors !== "driven";
    this.drives.classList.toggle("replaced", this.recording !== null);
    this.motions.forEach(({ amplitude, frequency }, i) => {
      const sine = { amplitude: play.units.entered(amplitude.valueAsNumber || 0, this.units[i]), frequency: frequency.valueAsNumber || 0, offset: state.actuators[i] };
      play.laws[i] = this.recording ? { t: this.recording.t, x: this.recording.x.map((row) => row[i]) } : (sine as Motion);
    });
    play.restart();
  }

  /** Drive with a recorded motion from now on; null returns to the sines. */
  replay(recording: Actuators["recording"]): void {
    this.recording = recording;
    this.setMotions();
  }
}

/** A value with as many decimals as four digits of the largest beside it have. */
function rounded(x: number, peak: number): number {
  return peak > 0 ? Number(x.toFixed(Math.min(Math.max(3 - Math.floor(Math.log10(peak)), 0), 15))) : x;
}
