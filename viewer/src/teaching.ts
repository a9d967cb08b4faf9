// What teachers draw into a mechanism, live: instant centers, screw axes, velocities, and polygons of velocities and forces.

import { Quaternion, Vector3 } from "three";
import { FORCE_COLOR } from "./efforts";
import { element, number, write } from "./elements";
import type { Play } from "./play";
import { Edge, Polygon } from "./polygons";
import { Pin, REST, Twist, pinAt, pinsOf, relativeTwist, screwAxis, twistsOf, velocityAt, worldPoint } from "./rigid_motion";
import { Sketch, onScreen } from "./sketch";

const CENTER = "#aa3377";
const VELOCITY = "#00897b";
const WEIGHT = "#8a8f96";
const FEW = 5; // moving bodies, of which all pairs have their centers drawn; else those with the base
const MOVES = 1e-9; // velocities above are the mechanism's own

type Choice = "centers" | "axes" | "velocities" | "velocity-polygon" | "force-polygon";

export class Teaching {
  readonly box = element("div", { class: "teaching", role: "group", "aria-label": "Motion and forces" });
  private readonly on = new Set<Choice>();
  private readonly sketch = new Sketch();
  private readonly pins: Pin[];
  private readonly by = element("select", { id: "moved-by", "aria-label": "Velocities are those" });
  private readonly body = element("select", { id: "force-body", "aria-label": "Forces on the body" });
  private readonly facts = element("p", { class: "remark", role: "status" });
  private readonly velocityPolygon: Polygon;
  private readonly forcePolygon: Polygon;
  private readonly planar: boolean;

  constructor(private readonly play: Play) {
    const { data, viewer, engine } = play, { scene } = data;
    this.planar = scene.normal !== null;
    this.pins = pinsOf(scene, viewer.tracks);
    this.velocityPolygon = new Polygon("Velocity polygon", "m/s", viewer.stage);
    this.forcePolygon = new Polygon("Force polygon", "N", viewer.stage);
    this.sketch.picture.classList.add("over-drawing");
    this.sketch.picture.setAttribute("aria-hidden", "true");
    viewer.view.append(this.sketch.picture);
    this.by.append(element("option", { value: "" }, "as it moves"));
    data.engine!.actuators.names.forEach((name, i) => this.by.append(element("option", { value: String(i) }, `${name} at 1 ${data.engine!.actuators.lengths[i] ? "m/s" : "rad/s"}`)));
    this.by.addEventListener("change", () => viewer.stage.later());
    scene.bodies.forEach(({ name }, i) => this.body.append(element("option", { value: String(i) }, name)));
    this.body.addEventListener("change", () => viewer.stage.later());
    const forces = engine.reactions() !== null || "reactions" in data.engine!.programs;
    this.box.append(
      element("div", { class: "choices" },
        ...(this.planar ? [this.choice("centers", "instant centers")] : [this.choice("axes", "screw axes")]),
        this.choice("velocities", "velocities"),
        ...(this.planar ? [this.choice("velocity-polygon", "velocity polygon")] : []),
        ...(this.planar && forces ? [this.choice("force-polygon", "force polygon")] : []),
      ),
      element("label", { class: "choices moved" }, "velocities ", this.by), this.facts,
      this.velocityPolygon.box,
      ...(forces ? [element("label", { class: "choices forced", hidden: "" }, "forces on ", this.body), this.forcePolygon.box] : []),
    );
    this.velocityPolygon.box.hidden = this.forcePolygon.box.hidden = true;
  }

  private choice(key: Choice, label: string): HTMLElement {
    const box = element("input", { type: "checkbox", id: `teach-${key}` });
    box.addEventListener("change", () => {
      this.on[box.checked ? "add" : "delete"](key);
      this.velocityPolygon.box.hidden = !this.on.has("velocity-polygon");
      this.forcePolygon.box.hidden = !this.on.has("force-polygon");
      for (const each of this.box.querySelectorAll<HTMLElement>(".forced")) each.hidden = this.forcePolygon.box.hidden;
      this.play.viewer.stage.later();
    });
    return element("label", {}, box, ` ${label}`);
  }

  /** Put what is drawn over the mechanism onto a picture of it. */
  async paintOn(canvas: HTMLCanvasElement): Promise<void> {
    if (this.on.size) await this.sketch.paintOn(canvas);
  }

  /** Draw for the state of the engine; called after every picture. */
  draw(): void {
    const { viewer } = this.play, { host } = viewer.stage;
    if (!this.on.size && !this.sketch.picture.childElementCount) return;
    this.sketch.picture.setAttribute("viewBox", `0 0 ${host.clientWidth} ${host.clientHeight}`);
    const found = this.on.size ? this.velocities() : null;
    write(this.facts, found?.remark ?? "");
    if (found?.v) {
      const twists = twistsOf(this.play.engine.bodyRates(found.v), viewer.tracks);
      if (this.on.has("centers")) this.drawCenters(twists);
      if (this.on.has("axes")) this.drawAxes(twists);
      if (this.on.has("velocities")) this.drawVelocities(twists);
      if (this.on.has("velocity-polygon")) this.velocityPolygon.draw(this.velocityEdges(twists), "o", "");
    } else if (this.on.has("velocity-polygon")) this.velocityPolygon.explain("nothing moves");
    if (this.on.has("force-polygon")) this.drawForces();
    if (this.planar && this.on.size) this.drawLetters();
    this.sketch.show();
  }

  /** Velocities of the coordinates that are drawn, and what they are. */
  private velocities(): { v: Float64Array | null; remark: string } {
    const { engine, data } = this.play, { v } = engine.state, chosen = this.by.value;
    if (chosen === "" && Math.max(...v.map(Math.abs)) > MOVES) return { v, remark: "" };
    const i = Number(chosen || 0), { names, lengths } = data.engine!.actuators;
    const found = names.length ? engine.ratesOf(i) : null;
    if (!found) return { v: null, remark: "It is at rest, and no velocities follow from its actuators here." };
    return { v: found, remark: chosen === "" ? `It is at rest: drawn for ${names[i]} at 1 ${lengths[i] ? "m/s" : "rad/s"}.` : "" };
  }

  private name(body: number): string {
    return body < 0 ? this.play.data.scene.base : this.play.data.scene.bodies[body].name;
  }

  private drawLetters(): void {
    const { tracks, stage } = this.play.viewer;
    for (const pin of this.pins) this.sketch.text(onScreen(pinAt(pin, tracks), stage), pin.letter, "currentColor");
  }

  /** Instant centers P of all pairs of bodies, or of all bodies and the base: numbers of bodies from 0, the base. */
  private drawCenters(twists: Twist[]): void {
    const { stage } = this.play.viewer, { scene } = this.play.data, far: string[] = [];
    const center = new Vector3().fromArray(scene.center), spots = new Map<string, { at: [number, number]; names: string[] }>();
    const all = [REST, ...twists];
    all.forEach((a, i) => {
      for (let j = i + 1; j < all.length && (i === 0 || twists.length <= FEW); j++) {
        const relative = relativeTwist(all[j], a), name = `P${i}${j > 9 ? "," : ""}${j}`;
        const found = screwAxis(relative, center, scene.extent);
        if (!found) {
          if (relative.v.length() + relative.omega.length() > 0) far.push(name);
          continue;
        }
        const at = onScreen(found.point, stage), key = at.map((x) => Math.round(x / 3)).join(" ");
        const known = spots.get(key) ?? { at, names: [] };
        known.names.push(name);
        spots.set(key, known);
        if (i === 0) this.drawRays(j - 1, at);
      }
    });
    for (const { at, names } of spots.values()) {
      this.sketch.dot(at, CENTER);
      this.sketch.text([at[0], at[1] + 20], names.join(" "), CENTER);
    }
    const numbers = ["0 is " + scene.base, ...scene.bodies.map(({ name }, i) => `${i + 1} ${name}`)].join(", ");
    write(this.facts, [this.facts.textContent, `P: ${numbers}.`, far.length ? `At infinity: ${far.join(", ")}.` : ""].filter(Boolean).join(" "));
  }

  /** Lines from the center of a body to its joints: its points move across them. */
  private drawRays(body: number, center: [number, number]): void {
    const { stage, tracks } = this.play.viewer;
    for (const pin of this.pins.filter((each) => each.bodies.includes(body))) {
      this.sketch.line(center, onScreen(pinAt(pin, tracks), stage), CENTER, { "stroke-dasharray": "3 4", "stroke-width": 1, opacity: 0.7 });
    }
  }

  /** The screw axis of every body: where it turns and slides, with its pitch. */
  private drawAxes(twists: Twist[]): void {
    const { stage, tracks } = this.play.viewer, { scene, engine } = this.play.data, said: string[] = [];
    const shown = engine!.platform >= 0 && twists.length > FEW ? [engine!.platform] : twists.map((_, i) => i);
    for (const i of shown) {
      const near = worldPoint(i, engine!.bodies[i].center, tracks), twist = twists[i];
      const axis = screwAxis(twist, near, scene.extent), v = velocityAt(twist, near);
      const [along, at] = axis ? [axis.along, axis.point] : [v.clone().normalize(), near];
      if (!axis && v.length() === 0) continue;
      const ends = [-0.5, 0.5].map((k) => onScreen(at.clone().addScaledVector(along, k * scene.extent), stage));
      this.sketch.arrow(ends[0], ends[1], CENTER, axis ? {} : { "stroke-dasharray": "6 4" });
      this.sketch.text(ends[1], this.name(i), CENTER);
      const pitch = axis && Math.abs(axis.pitch) > 1e-6 * scene.extent ? this.play.units.text(2 * Math.PI * axis.pitch, "m", 3) : "0";
      said.push(axis ? `${this.name(i)} turns at ${number(twist.omega.length(), 3)} rad/s, pitch ${pitch} a turn` : `${this.name(i)} slides at ${number(v.length(), 3)} m/s`);
    }
    write(this.facts, [this.facts.textContent, `${said.join("; ")}.`].filter(Boolean).join(" "));
  }

  private drawVelocities(twists: Twist[]): void {
    const { stage, tracks } = this.play.viewer, { scene } = this.play.data;
    const all = this.pins.map((pin) => ({ at: pinAt(pin, tracks), v: this.velocityOf(pin, twists) }));
    const most = Math.max(...all.map(({ v }) => v.length()));
    if (!(most > 0)) return;
    for (const { at, v } of all) {
      this.sketch.arrow(onScreen(at, stage), onScreen(at.clone().addScaledVector(v, (0.25 * scene.extent) / most), stage), VELOCITY);
    }
  }

  private velocityOf(pin: Pin, twists: Twist[]): Vector3 {
    if (pin.bodies.includes(-1)) return new Vector3();
    return velocityAt(twists[pin.bodies[0]], pinAt(pin, this.play.viewer.tracks));
  }

  /** Velocities of all joints from one pole, and the images of the bodies between their ends. */
  private velocityEdges(twists: Twist[]): Edge[] {
    const edges: Edge[] = [], zero = new Vector3();
    const ends = this.pins.map((pin) => this.velocityOf(pin, twists));
    const most = Math.max(...ends.map((v) => v.length()));
    this.play.data.scene.bodies.forEach((_, body) => {
      const own = this.pins.flatMap((pin, k) => (pin.bodies.includes(body) ? [k] : []));
      own.forEach((k, i) => {
        if (i > 0 && (own.length > 2 || ends[k].length() * ends[own[0]].length() > 0)) edges.push({ from: ends[own[i - 1]], to: ends[k], color: this.colorOf(body) });
      });
      if (own.length > 2) edges.push({ from: ends[own.at(-1)!], to: ends[own[0]], color: this.colorOf(body) });
    });
    this.pins.forEach((pin, k) => {
      if (ends[k].length() > 1e-6 * most) edges.push({ from: zero, to: ends[k], color: VELOCITY, arrow: true, text: pin.letter.toLowerCase() });
    });
    return edges;
  }

  private colorOf(body: number): string {
    return this.play.data.scene.solids.find((solid) => solid.layer === "body" && solid.owner === body)?.color.slice(0, 7) ?? "currentColor";
  }

  /** All forces on a body, tip to tail; what is missing to the pole is its inertia, and the forces of springs. */
  private drawForces(): void {
    const { engine, data, viewer } = this.play, wrenches = engine.reactions();
    if (!wrenches) return this.forcePolygon.explain("known with gravity and without a push");
    const body = Number(this.body.value), { scene } = data, edges: Edge[] = [], tip = new Vector3();
    const add = (force: Vector3, color: string, text: string, dashed = false): void => {
      const to = tip.clone().add(force);
      edges.push({ from: tip.clone(), to, color, arrow: true, text, dashed });
      tip.copy(to);
    };
    add(new Vector3().fromArray(data.engine!.gravity).multiplyScalar(data.engine!.bodies[body].mass), WEIGHT, "G");
    data.engine!.reactions.forEach((name, i) => {
      const joint = scene.joints.find((each) => each.name === name);
      if (!joint || (joint.child !== body && joint.parent !== body)) return;
      const force = new Vector3(wrenches[6 * i + 3], wrenches[6 * i + 4], wrenches[6 * i + 5]);
      if (joint.child >= 0) force.applyQuaternion(new Quaternion().setFromRotationMatrix(viewer.tracks.matrices[joint.child]));
      if (joint.parent === body) force.negate();
      add(force, FORCE_COLOR, this.pins.find((pin) => pin.joints.includes(name))?.letter ?? name);
    });
    const most = Math.max(...edges.map(({ from, to }) => to.distanceTo(from)));
    const others = scene.rods.some(({ kind }) => kind === "spring" || kind === "strut") ? "springs, \u2212ma" : "\u2212ma";
    if (tip.length() > 1e-4 * most) add(tip.clone().negate(), VELOCITY, others, true);
    const rest = edges.map(({ from, to, text }) => `${text} ${number(to.distanceTo(from), 3)} N`).join(", ");
    this.forcePolygon.draw(edges, "", `${this.name(body)}: ${rest}`);
  }
}
