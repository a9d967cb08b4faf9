// What acts in a run: gravity, end stops, actuators.

import { Actuators } from "./actuators";
import { element } from "./elements";
import type { RunOptions } from "./engine/engine";
import type { Play } from "./play";

const MOTORS: [RunOptions["motors"], string][] = [["free", "free"], ["locked", "locked"], ["driven", "driven"]];

/** Check boxes and the choice of what actuators do; both act at once, also during a run. */
export function actingPanel(play: Play, actuators: Actuators | null): HTMLElement {
  const { scene, engine } = play.data, rows: HTMLElement[] = [];
  const box = (key: "gravity" | "stops", label: string) => {
    const check = element("input", { type: "checkbox", id: `acts-${key}` });
    check.checked = play.options[key];
    check.addEventListener("change", () => {
      play.options[key] = check.checked;
      play.restart();
    });
    return element("label", {}, check, ` ${label}`);
  };
  const boxes = [...(scene.gravity.some((x) => x !== 0) ? [box("gravity", "gravity")] : []), ...(engine!.stops.length ? [box("stops", "end stops")] : [])];
  if (boxes.length) rows.push(element("div", { class: "choices" }, ...boxes));
  if (actuators && "rates" in engine!.programs && "inverse_dynamics" in engine!.programs) {
    const choice = element("div", { class: "choices", role: "radiogroup", "aria-label": "Actuators in a run" }, element("span", {}, "actuators"));
    for (const [value, label] of MOTORS) {
      const radio = element("input", { type: "radio", name: "motors", value, id: `motors-${value}` });
      radio.checked = play.options.motors === value;
      radio.addEventListener("change", () => {
        play.options.motors = value;
        actuators.setMotions();
        play.bar.show();
      });
      choice.append(element("label", {}, radio, ` ${label}`));
    }
    rows.push(choice, actuators.drives);
  }
  return element("div", { class: "acting", role: "group", "aria-label": "What acts" }, ...rows);
}
