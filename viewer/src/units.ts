// Units in which numbers are shown and entered: radians or degrees, meters or millimeters; requests are always SI.

import { button, element, number } from "./elements";

const KEPT = "linkwright-units";
const ROUNDING = 1e-10; // [rad, m, N, N m]: shown as zero
const MOST = 1000; // smaller numbers keep all their digits, others as many decimals at most
const NAMES: Record<string, [string, string]> = { rad: ["rad", "\u00B0"], m: ["m", "mm"] };
const BUTTONS: Record<string, string> = { "\u00B0": "deg" };
const FACTORS: Record<string, number> = { rad: 180 / Math.PI, m: 1000 };

const PREFIXED = new Set(["J", "N", "N m"]);
const PREFIXES: [string, number, number][] = [["M", 1e6, 1e6], ["k", 1e3, 1e4], ["", 1, 0.1], ["m", 1e-3, 1e-4], ["\u00B5", 1e-6, 1e-8]];

export class Units {
  private readonly other: Record<string, boolean> = { rad: true, m: false };
  private readonly changed: (() => void)[] = [];

  constructor() {
    try {
      Object.assign(this.other, JSON.parse(localStorage.getItem(KEPT) ?? "{}"));
    } catch {
      // a page without storage starts with degrees and meters
    }
  }

  /** Call a function whenever the units change. */
  listen(changed: () => void): void {
    this.changed.push(changed);
  }

  name(unit: string): string {
    return unit in NAMES ? NAMES[unit][Number(this.other[unit])] : unit.replace("^2", "\u00B2").replace("^3", "\u00B3");
  }

  private label(unit: string): string {
    return BUTTONS[this.name(unit)] ?? this.name(unit);
  }

  private factor(unit: string): number {
    return this.other[unit] ? (FACTORS[unit] ?? 1) : 1;
  }

  /** A value for people: "12.5°", "5.6 mN m"; `size` is that of the largest value beside it, which chooses the prefix. */
  text(x: number | null | undefined, unit: string, digits = 5, size = Math.abs(x ?? NaN)): string {
    if (Number.isFinite(x) && PREFIXED.has(unit)) {
      const [prefix, factor] = PREFIXES.find(([, , least]) => size >= least) ?? ["", 1];
      return `${this.digits(x! / factor, "", digits)} ${prefix}${unit}`;
    }
    const name = Number.isFinite(x ?? NaN) ? this.name(unit) : "";
    return `${this.digits(x, unit, digits)}${name === "\u00B0" ? "" : " "}${name}`.trim();
  }

  digits(x: number | null | undefined, unit: string, digits = 5): string {
    if (x === null || x === undefined || !Number.isFinite(x)) return "\u2013";
    if (Math.abs(x) < ROUNDING) return "0";
    const shown = x * this.factor(unit);
    return number(Math.abs(shown) > 10 ** -digits * MOST ? Number(shown.toFixed(digits)) : shown, digits);
  }

  /** The SI value of a number that somebody entered. */
  entered(x: number, unit: string): number {
    return x / this.factor(unit);
  }

  /** Buttons that change between the two units of angles and of lengths. */
  buttons(): HTMLElement[] {
    return ["rad", "m"].map((unit) => {
      const titles: Record<string, string> = { rad: "Angles in degrees or radians", m: "Lengths in meters or millimeters" };
      const named = (): string => `${this.label(unit)}: ${titles[unit]}`;
      const made = button(this.label(unit), named(), () => {
        this.other[unit] = !this.other[unit];
        made.textContent = this.label(unit);
        made.setAttribute("aria-label", named());
        try {
          localStorage.setItem(KEPT, JSON.stringify(this.other));
        } catch {
          // kept for this page only
        }
        for (const each of this.changed) each();
      });
      made.id = `unit-${unit}`;
      return made;
    });
  }

  /** A field for a number, which calls `enter` with its SI value. */
  field(unit: string, title: string, enter: (x: number) => void): HTMLInputElement {
    const made = element("input", { type: "number", step: "any", class: "entry", "aria-label": `${title}, as a number` });
    made.addEventListener("input", () => (made.dataset.typing = "true"));
    made.addEventListener("change", () => {
      delete made.dataset.typing;
      enter(this.entered(made.valueAsNumber, unit));
    });
    return made;
  }

  /** Write a value into a field, unless somebody is typing there. */
  fill(field: HTMLInputElement, x: number, unit: string): void {
    if (!field.dataset.typing) field.value = this.digits(x, unit);
  }
}
