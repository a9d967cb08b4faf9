// Position and rotation of the platform as numbers that can be entered.

import { Euler, Quaternion } from "three";
import { element } from "./elements";
import { Query } from "./requests";
import { Units } from "./units";

const PARTS = ["x", "y", "z", "roll", "pitch", "yaw"];
const unit = (i: number): string => (i < 3 ? "m" : "rad");

export class PlatformFields {
  readonly box = element("div", { class: "pose-fields", role: "group", "aria-label": "Pose of the platform", id: "live-platform" });
  private readonly fields: { i: number; entry: HTMLInputElement; name: HTMLElement }[];
  private values: number[] = [];

  /** Fields for the parts of the pose that can change. */
  constructor(parts: string[], private readonly units: Units, private readonly send: (query: Query) => void) {
    this.fields = parts.map((part) => {
      const i = PARTS.indexOf(part);
      const entry = units.field(unit(i), `${part} of the platform`, (x) => this.enter(i, x));
      const name = element("span", {}, part);
      this.box.append(element("label", {}, name, entry));
      return { i, entry, name };
    });
  }

  /** The pose x y z, quaternion w x y z of the present state. */
  show(pose: number[]): void {
    const turn = new Euler().setFromQuaternion(new Quaternion(pose[4], pose[5], pose[6], pose[3]), "ZYX");
    this.values = [...pose.slice(0, 3), turn.x, turn.y, turn.z];
    this.fields.forEach(({ i, entry, name }) => {
      this.units.fill(entry, this.values[i], unit(i));
      name.textContent = `${PARTS[i]} [${this.units.name(unit(i))}]`;
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
