// The meaning of colors and signs, and all keys.

import { button, element } from "./elements";

const SIGNS: [string, string, string][] = [
  ["#f48c66", "\u25CF", "joint with an actuator; its effort as an arrow (force) or a ring (moment)"],
  ["#44403c", "\u25CF", "passive joint: pin (revolute), sleeve (prismatic, cylindrical), ball (spherical), cross (universal)"],
  ["#228833", "\u25A0", "platform"],
  ["#777777", "\u25A0", "base"],
  ["#4477aa", "\u25A0", "other links, colored by the number of joints to the base"],
  ["#cc3377", "\u2191", "force in a joint (layer reactions)"],
  ["#7755bb", "\u21BB", "moment in a joint (layer reactions)"],
  ["#ee6677", "\u223F", "path of a point"],
  ["#8a8f96", "\u2193", "gravity"],
];
const KEYS: [string, string][] = [
  ["space", "play, pause"],
  ["\u2190 \u2192", "a hundredth of the time back or on"],
  ["Home, End", "start, end"],
  ["f", "the whole mechanism"],
  ["o", "orthographic or perspective"],
  ["d", "light or dark"],
  ["p", "save a picture"],
  ["Escape", "remove the paths of clicked points"],
  ["?", "this list"],
];
const LIVE: [string, string][] = [
  ["r", "the handle moves or turns"],
  ["Ctrl+Z, Ctrl+Y", "undo, redo"],
];
const MOUSE: [string, string][] = [
  ["drag", "turn the view (two fingers or right button: move it; wheel: zoom)"],
  ["point", "name and values of a body or joint"],
  ["click a body", "draw the path of that point"],
];

export class Help {
  readonly dialog = element("dialog", { class: "help", "aria-label": "Signs and keys" });
  readonly open = button("?", "Signs and keys (?)", () => this.show());

  constructor(live: boolean) {
    const close = button("Close", "Close this list", () => this.dialog.close());
    const signs = SIGNS.flatMap(([color, sign, text]) => {
      const mark = element("span", {}, sign);
      mark.style.color = color;
      return [element("dt", {}, mark), element("dd", {}, text)];
    });
    this.dialog.append(
      element("h2", {}, "Signs"), element("dl", {}, ...signs),
      element("h2", {}, "Pointer"), rows(MOUSE),
      element("h2", {}, "Keys"), rows(live ? [...LIVE, ...KEYS] : KEYS), close,
    );
    this.open.id = "help";
  }

  show(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}

function rows(pairs: [string, string][]): HTMLElement {
  return element("dl", {}, ...pairs.flatMap(([key, text]) => [element("dt", {}, key), element("dd", {}, text)]));
}
