// Position and rotation of the platform as numbers that can be entered.

import { Euler, Quaternion } from "three";
import { element } from "./elements";
import { Query } from "./requests";
import { Units } from "./units";

const PARTS: [string, string][] = [["x", "m"], ["y", "m"], ["z", "m"], ["roll", "rad"], ["pitch", "rad"], ["yaw", "rad"]];

export class PlatformFields {
  readonly box = element("div", { class: "pose-fields", role: "group", "aria-label": "Pose of the platform", id: "live-platform" });
  private readonly fields: HTMLInputElement[];
  private readonly names: HTMLElement[] = [];
  private values: number[] = [];

  constructor(private readonly units: Units, private readonly send: (query: Query) => void) {
    this.fields = PARTS.map(([name, unit], i) => {
      const field = units.field(unit, `${name} of the platform`, (x) => this.enter(i, x));
      this.names.push(element("span", {}, name));
      this.box.append(element("label", {}, this.names[i], field));
      return field;
    });
  }

  /** The pose x y z, quaternion w x y z of the present state. */
  show(pose: number[]): void {
    const turn = new Euler().setFromQuaternion(new Quaternion(pose[4], pose[5], pose[6], pose[3]), "ZYX");
    this.values = [...pose.slice(0, 3), turn.x, turn.y, turn.z];
    PARTS.forEach(([name, unit], i) => {
      this.units.fill(this.fields[i], this.values[i], unit);
      this.names[i].textContent = `${name} [${this.units.name(unit)}]`;
    });
  }

  private enter(i: number, x: number): void {
    if (!Number.isFinite(x)) return;
    const values = [...this.values];
    values[i] = x;
    const R = new Quaternion().setFromEuler(new Euler(values[3], values[4], values[5], "ZYX"));
    this.send({ pose: [...values.slice(0, 3), R.w, R.x, R.y, R.z], turning: i > 2 });
  }
}
