// Read-outs of the state, and rolling curves of chosen ones.

import { element, number, write } from "./elements";
import type { EngineState } from "./engine/engine";
import type { Play } from "./play";

const NEAR = [0.02, 0.1]; // distances to a singularity that are red and orange
const SPAN = 8; // [s] of a rolling curve
const TALL = 64; // pixels
const KINDS: Record<string, string> = {
  "type 1": "\u2013 type 1: a leg stretched or folded",
  "type 2": "\u2013 type 2: moves with locked actuators",
  constraint: "\u2013 of the closure equations",
};

interface Quantity {
  name: string;
  unit: string;
  of: (state: EngineState) => number;
}

/** Everything of a state that is a number. */
function quantities({ engine, data }: Play, units: string[]): Quantity[] {
  const found: Quantity[] = [
    { name: "kinetic energy", unit: "J", of: (s) => s.energy[0] },
    { name: "potential energy", unit: "J", of: (s) => s.energy[1] },
    { name: "total energy", unit: "J", of: (s) => s.energy[0] + s.energy[1] },
  ];
  data.engine!.actuators.names.forEach((name, i) => found.push({ name, unit: units[i], of: (s) => s.actuators[i] }));
  data.engine!.actuators.names.forEach((name, i) => found.push({ name: `effort of ${name}`, unit: units[i] === "m" ? "N" : "N m", of: (s) => s.efforts[i] }));
  if (engine.state.platform) ["x", "y", "z"].forEach((part, k) => found.push({ name: `${part} of the platform`, unit: "m", of: (s) => s.platform![k] }));
  if (data.engine!.has_loops) found.push({ name: "closure residual", unit: "m", of: (s) => s.gap });
  for (const kind of Object.keys(engine.state.singularities)) found.push({ name: `distance to ${kind}`, unit: "", of: (s) => s.singularities[kind] });
  return found;
}

/** One number, as a dt and a dd. */
class Fact {
  readonly value = element("dd");
  readonly parts: HTMLElement[];

  constructor(name: string, id: string, private readonly text: (state: EngineState) => string) {
    this.value.id = `value-${id}`;
    this.parts = [element("dt", {}, name), this.value];
  }

  read(state: EngineState): void {
    write(this.value, this.text(state));
  }
}

export class Values {
  readonly box = element("div", { class: "values" });
  private readonly all: Quantity[];
  private readonly facts: Fact[];
  private readonly gauge: Gauge | null;
  private readonly strips: Strip[] = [];
  private readonly curves = element("div", { class: "strips" });
  private readonly limits = element("ul", { class: "limits", id: "limits", "aria-label": "Limits that are broken" });
  private shownAt = -1;

  constructor(private readonly play: Play, units: string[]) {
    const { state } = play.engine;
    this.all = quantities(play, units);
    this.gauge = Object.keys(state.singularities).length ? new Gauge() : null;
    this.facts = facts(play);
    const list = element("dl", { class: "facts" }, ...(this.gauge?.parts ?? []), ...this.facts.flatMap((fact) => fact.parts));
    const add = element("select", { id: "curve", "aria-label": "Draw a curve of" }, element("option", { value: "" }, "draw a curve of \u2026"));
    add.append(...this.all.map(({ name }, k) => element("option", { value: String(k) }, name)));
    add.addEventListener("change", () => {
      if (add.value) this.add(this.all[Number(add.value)]);
      add.value = "";
    });
    this.limits.hidden = play.data.engine!.limits.length === 0;
    this.box.append(list, this.curves, add, this.limits);
    this.add(this.all[0]);
    play.parts.push(this);
    play.recorded = () => this.keep();
  }

  private add(quantity: Quantity): void {
    if (this.strips.some((strip) => strip.quantity === quantity)) return;
    const strip = new Strip(quantity, this.play, () => this.strips.splice(this.strips.indexOf(strip), 1));
    this.strips.push(strip);
    this.curves.append(strip.box);
  }

  private keep(): void {
    if (this.play.time < this.shownAt) for (const strip of this.strips) strip.clear();
    this.shownAt = this.play.time;
    for (const strip of this.strips) strip.keep(this.play.time);
  }

  read(): void {
    const { state } = this.play.engine;
    this.gauge?.read(Math.min(...Object.values(state.singularities)));
    for (const fact of this.facts) fact.read(state);
    for (const strip of this.strips) strip.draw();
    if (this.limits.childElementCount || state.limits.length) this.limits.replaceChildren(...state.limits.map((text) => element("li", {}, text)));
  }
}

function facts({ engine, data, units }: Play): Fact[] {
  const { state } = engine, found: Fact[] = [];
  for (const kind of Object.keys(state.singularities)) found.push(new Fact(KINDS[kind] ?? kind, kind.replace(" ", "-"), (s) => number(s.singularities[kind], 3)));
  if (Number.isFinite(state.condition)) found.push(new Fact("condition of the Jacobian", "condition", (s) => number(s.condition, 3)));
  if (state.branch) found.push(new Fact("branch", "branch", (s) => branchText(s.branch)));
  const least = (s: EngineState) => 1e-6 * Math.max(...s.energy.map(Math.abs));
  ["kinetic", "potential"].forEach((kind, k) =>
    found.push(new Fact(`${kind} energy`, kind, (s) => units.text(Math.abs(s.energy[k]) > least(s) ? s.energy[k] : 0, "J", 4))));
  if (data.engine!.has_loops) found.push(new Fact("closure residual", "gap", (s) => (s.gap ? `${s.gap.toExponential(0)} m` : "0 m")));
  return found;
}

/** Signs of the determinants of the legs, then of the whole. */
function branchText(signs: string): string {
  const [legs, whole] = signs.replaceAll("-", "\u2212").split("|");
  return legs ? `legs ${legs}, whole ${whole}` : whole;
}

/** A colored bar with the number beside it. */
class Gauge {
  private readonly bar = element("span", { class: "gauge", role: "meter", "aria-label": "Distance to a singularity", "aria-valuemin": "0", "aria-valuemax": "1" }, element("span"));
  private readonly text = element("span", { id: "value-singularity" });
  readonly parts = [element("dt", {}, "distance to a singularity"), element("dd", {}, element("span", { class: "measured" }, this.bar, this.text))];

  read(x: number): void {
    this.bar.className = `gauge ${x < NEAR[0] ? "bad" : x < NEAR[1] ? "close" : "good"}`;
    this.bar.setAttribute("aria-valuenow", x.toFixed(3));
    (this.bar.firstChild as HTMLElement).style.width = `${Math.max(2, 100 * Math.min(x, 1))}%`;
    write(this.text, number(x, 3));
  }
}

/** A rolling curve of the last seconds of a run. */
class Strip {
  readonly box = element("figure", { class: "strip" });
  private readonly picture = element("canvas", { role: "img" });
  private readonly value = element("output");
  private t: number[] = [];
  private y: number[] = [];

  constructor(readonly quantity: Quantity, private readonly play: Play, away: () => void) {
    const close = element("button", { type: "button", title: `Remove the curve of ${quantity.name}`, "aria-label": `Remove the curve of ${quantity.name}` }, "\u00D7");
    close.addEventListener("click", () => {
      this.box.remove();
      away();
    });
    this.picture.setAttribute("aria-label", `Rolling curve of ${quantity.name} in a run`);
    this.box.append(element("figcaption", {}, element("span", {}, quantity.name), this.value, close), this.picture);
  }

  clear(): void {
    [this.t, this.y] = [[], []];
  }

  keep(time: number): void {
    this.t.push(time);
    this.y.push(this.quantity.of(this.play.engine.state));
    while (this.t.length > 2 && time - this.t[0] > SPAN) {
      this.t.shift();
      this.y.shift();
    }
  }

  draw(): void {
    const { quantity, picture, play } = this, text = (x: number) => play.units.text(Math.abs(x) < 1e-9 ? 0 : x, quantity.unit, 3);
    write(this.value, text(quantity.of(play.engine.state)));
    const wide = picture.clientWidth, ratio = Math.min(window.devicePixelRatio, 2), pen = picture.getContext("2d")!;
    if (!wide) return;
    if (picture.width !== Math.round(wide * ratio)) [picture.width, picture.height] = [Math.round(wide * ratio), Math.round(TALL * ratio)];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, TALL);
    const look = getComputedStyle(this.box), low = Math.min(...this.y), high = Math.max(...this.y);
    pen.strokeStyle = look.getPropertyValue("--rule");
    pen.strokeRect(0.5, 0.5, wide - 1, TALL - 1);
    pen.fillStyle = look.getPropertyValue("--soft");
    pen.font = "11px sans-serif";
    if (this.t.length < 2) return pen.fillText("a run draws its curve here", 8, TALL / 2 + 4);
    const span = Math.max(high - low, 1e-9 * Math.max(Math.abs(high), 1)), end = Math.max(this.t.at(-1)!, SPAN);
    pen.beginPath();
    this.t.forEach((t, i) => pen.lineTo(wide * (1 + (t - end) / SPAN), 5 + (TALL - 10) * (1 - (this.y[i] - low) / span)));
    pen.strokeStyle = look.getPropertyValue("--accent");
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.fillText(text(high), 4, 13);
    pen.fillText(text(low), 4, TALL - 5);
  }
}
