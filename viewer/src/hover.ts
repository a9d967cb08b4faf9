// Point at a body or joint to read its name and values.

import { Intersection, Matrix4, Object3D, Raycaster, Vector3 } from "three";
import { PageData, unpacked } from "./data";
import { Found, Solids } from "./solids";
import { Stage } from "./stage";
import { Tracks } from "./tracks";
import { element, number, unitOf } from "./elements";

const MISS = { mouse: 4, touch: 18 }; // pixels
const AROUND = [[1, 0], [-1, 0], [0, 1], [0, -1], [0.7, 0.7], [-0.7, 0.7], [0.7, -0.7], [-0.7, -0.7]];

export class Hover {
  private readonly box = element("div", { class: "hover", role: "status", "aria-live": "polite" });
  private readonly ray = new Raycaster();
  private readonly q: Float32Array | Float64Array;
  private readonly tau: Float32Array | Float64Array | null;
  private readonly wrenches: Map<string, Float32Array | Float64Array>;
  private what: Found | null = null;
  noticed: (what: Found | null) => void = () => undefined; // called when the pointer comes to something else
  liveQ: ArrayLike<number> | null = null; // of the engine, instead of the recorded motion

  constructor(
    private readonly stage: Stage,
    private readonly solids: Solids,
    private readonly others: Object3D[],
    private readonly data: PageData,
    private readonly tracks: Tracks,
    private readonly time: () => number,
  ) {
    this.q = unpacked(data.q);
    this.tau = data.tau ? unpacked(data.tau) : null;
    this.wrenches = new Map(Object.entries(data.reactions).map(([name, packed]) => [name, unpacked(packed)]));
    stage.host.append(this.box);
    const canvas = stage.renderer.domElement;
    canvas.addEventListener("pointermove", (event) => (event.buttons ? this.hide() : this.look(event)));
    canvas.addEventListener("pointerdown", (event) => this.look(event));
    canvas.addEventListener("pointerleave", () => this.hide());
  }

  private hits(event: { clientX: number; clientY: number }): Intersection[] {
    this.ray.setFromCamera(this.stage.pointer(event), this.stage.camera);
    return this.ray.intersectObjects([this.solids.group, ...this.others], true).filter((hit) => shown(hit.object));
  }

  /** The moving body at or near the pointer, and where it is touched, in the world; a finger may miss by more. */
  touched(event: PointerEvent): { body: number; at: Vector3 } | null {
    const miss = event.pointerType === "touch" ? MISS.touch : MISS.mouse;
    for (const by of [0, 0.5 * miss, miss]) {
      for (const [x, y] of by ? AROUND : [[0, 0]]) {
        const hit = this.hits({ clientX: event.clientX + by * x, clientY: event.clientY + by * y })[0];
        const body = hit ? (this.solids.found(hit.object, hit.instanceId)?.body ?? Number(hit.object.userData.body ?? -1)) : -1;
        if (body >= 0) return { body, at: hit.point };
        if (hit && !by) return null; // the base
      }
    }
    return null;
  }

  /** Lighten a body. */
  mark(body: number): void {
    this.what = { layer: "body", owner: body, body };
    this.solids.highlight([this.what]);
    this.noticed(this.what);
    this.stage.later();
  }

  private look(event: PointerEvent): void {
    const hits = this.hits(event);
    const joint = hits.find((hit) => this.solids.found(hit.object, hit.instanceId)?.layer === "joint");
    const near = hits[0];
    // A joint's sign lies inside the bodies that meet there, so it may be a little behind them.
    const hit = joint && joint.distance < near.distance + 6 * this.data.scene.unit ? joint : near;
    if (!hit) return this.hide();
    const found = this.solids.found(hit.object, hit.instanceId);
    this.what = found;
    this.solids.highlight(found ? [found] : []);
    this.noticed(found);
    this.box.replaceChildren(...(found ? this.lines(found) : [element("b", {}, String(hit.object.userData.label ?? ""))]));
    this.move(event);
    this.stage.later();
  }

  private move(event: PointerEvent): void {
    const frame = this.stage.host.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    this.box.style.display = "block";
    this.box.style.left = `${Math.max(4, Math.min(x + 14, frame.width - this.box.offsetWidth - 6))}px`;
    this.box.style.top = `${Math.max(4, Math.min(y + 14, frame.height - this.box.offsetHeight - 6))}px`;
  }

  private hide(): void {
    this.box.style.display = "none";
    if (this.what) {
      this.solids.highlight([]);
      this.noticed(null);
      this.stage.later();
    }
    this.what = null;
  }

  /** Bring the values up to date when time moves under a resting pointer. */
  refresh(): void {
    if (this.what && this.box.style.display === "block") this.box.replaceChildren(...this.lines(this.what));
  }

  private lines(found: Found): HTMLElement[] {
    return found.layer === "joint" ? this.jointLines(found.owner) : this.bodyLines(found.owner);
  }

  private jointLines(owner: number): HTMLElement[] {
    const joint = this.data.scene.joints[owner];
    const rows = [element("b", {}, joint.name), element("div", {}, `${joint.kind} joint, ${this.called(joint.parent)} to ${this.called(joint.child)}`)];
    if (joint.column === null) rows.push(element("div", {}, "closes a loop"));
    else joint.parts.forEach((part, i) => rows.push(this.value(part, this.coordinate(joint.column! + i), joint.lower[i], joint.upper[i])));
    return [...rows, ...this.reactionLines(joint.name)];
  }

  /** Size of the force and the moment in a joint at the present sample. */
  private reactionLines(joint: string): HTMLElement[] {
    const wrench = this.wrenches.get(joint);
    if (!wrench) return [];
    const k = 6 * this.tracks.sampleAt(this.time())[0];
    const size = (from: number) => number(Math.hypot(wrench[from], wrench[from + 1], wrench[from + 2]));
    return [element("div", {}, `force ${size(k + 3)} N, moment ${size(k)} N m`)];
  }

  private value(part: string, x: number, low?: number | null, high?: number | null): HTMLElement {
    const out = (low != null && x < low) || (high != null && x > high);
    const line = element("div", out ? { class: "over" } : {}, `${part} ${number(x)} ${unitOf(part)}`);
    if (out) line.append(" beyond its limit");
    return line;
  }

  /** A coordinate at the present time. */
  coordinate(column: number): number {
    return this.liveQ ? this.liveQ[column] : this.recordedAt(column, this.time());
  }

  /** All coordinates of the recorded motion at a time. */
  recorded(time: number): number[] {
    return Array.from({ length: this.data.q.shape[1] }, (_, column) => this.recordedAt(column, time));
  }

  private recordedAt(column: number, time: number): number {
    const width = this.data.q.shape[1];
    const [row, share] = this.tracks.sampleAt(time);
    const x = this.q[row * width + column];
    const next = share > 0 ? this.q[(row + 1) * width + column] : x;
    return x + share * (next - x);
  }

  private bodyLines(owner: number): HTMLElement[] {
    if (owner < 0) return [element("b", {}, this.data.scene.base), element("div", {}, "base, does not move")];
    const body = this.data.scene.bodies[owner];
    const r = new Vector3().setFromMatrixPosition(this.tracks.matrices[owner] as Matrix4);
    return [
      element("b", {}, body.name),
      element("div", {}, `body, mass ${number(body.mass)} kg`),
      element("div", {}, `origin ${r.toArray().map((x) => number(x, 4)).join(", ")} m`),
      ...this.effortLines(owner),
    ];
  }

  private effortLines(owner: number): HTMLElement[] {
    const { efforts } = this.data.scene;
    if (!this.tau) return [];
    const row = this.tracks.sampleAt(this.time())[0] * efforts.length;
    return efforts.flatMap((e, i) =>
      e.body === owner ? [element("div", {}, `${e.name} ${number(this.tau![row + i])} ${e.moment ? "N m" : "N"}`)] : [],
    );
  }

  private called(body: number): string {
    return body < 0 ? this.data.scene.base : this.data.scene.bodies[body].name;
  }
}

function shown(object: Object3D): boolean {
  for (let o: Object3D | null = object; o; o = o.parent) if (!o.visible) return false;
  return true;
}
