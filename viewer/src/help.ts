// The meaning of colors and signs, and all keys.

import { button, element } from "./elements";
import { Icon, icon } from "./icons";

const SIGNS: [string, Icon, string][] = [
  ["#f48c66", "dot", "joint with an actuator; its effort as an arrow (force) or part of a ring (moment), the longer the larger"],
  ["#44403c", "dot", "passive joint: pin (revolute), sleeve (prismatic, cylindrical), ball (spherical), cross (universal)"],
  ["#228833", "square", "platform"],
  ["#777777", "square", "base"],
  ["#4477aa", "square", "other links, colored by the number of joints to the base"],
  ["#b0a030", "coil", "spring"],
  ["#f48c66", "dashes", "limit on a chart; the triangle at its end leads to the time when it is broken"],
  ["#cc3377", "up", "force in a joint (layer reactions)"],
  ["#7755bb", "ring", "moment in a joint (layer reactions)"],
  ["#aa3377", "dot", "instant center (P12 is that of bodies 1 and 2, 0 is the base), screw axis"],
  ["#00897b", "up", "velocity of a joint"],
  ["#ee6677", "path", "path of a point"],
  ["#8a8f96", "down", "gravity"],
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
const PLAY: [string, string][] = [
  ["space", "let go, pause, go on"],
  [".", "one step of a sixtieth of a second"],
  ["b", "back to where it was let go"],
  ["t", "take over from the recorded motion"],
  ["n, N", "choose the next body, the one before"],
  ["i j k l", "pull it up, left, down, right; in a run, push it"],
  ["r", "the handle moves or turns"],
  ["m", "pictures of all assembly modes"],
  ["h", "home position"],
  ["Ctrl+Z, Ctrl+Y", "undo, redo"],
];
const CHARTS: [string, string][] = [
  ["click, drag", "set the time; the numbers follow the pointer"],
  ["Ctrl+wheel, + -", "zoom"],
  ["Shift+drag", "enlarge a box"],
  ["right or Alt+drag", "move"],
  ["double-click, 0", "show all"],
  ["over \u2026", "another quantity on the horizontal axis"],
];
const FOCUS: [string, string][] = [
  ["arrows", "turn the view (the drawing has the focus)"],
  ["Shift+arrows", "move it"],
  ["+ -", "zoom"],
];
const HAND: [string, string][] = [
  ["drag a body", "move the mechanism; while it runs, push it"],
];
const MOUSE: [string, string][] = [
  ["drag beside it", "turn the view (two fingers or right button: move it; wheel: zoom)"],
  ["point", "name and values of a body or joint"],
  ["click a body", "draw the path of that point"],
];

export class Help {
  readonly dialog = element("dialog", { class: "help", "aria-label": "Signs and keys" });
  readonly open = button("?", "Signs and keys (?)", () => this.show());

  constructor(playing: boolean) {
    const close = button("Close", "Close this list", () => this.dialog.close());
    const signs = SIGNS.flatMap(([color, sign, text]) => {
      const mark = element("span", {}, icon(sign));
      mark.style.color = color;
      return [element("dt", {}, mark), element("dd", {}, text)];
    });
    this.dialog.append(
      element("h2", {}, "Signs"), element("dl", {}, ...signs),
      element("h2", {}, "Pointer"), rows([...(playing ? HAND : []), ...MOUSE]),
      element("h2", {}, "Charts"), rows(CHARTS),
      ...(playing ? [element("h2", {}, "Keys of play"), rows(PLAY)] : []),
      element("h2", {}, "Keys"), rows([...KEYS, ...FOCUS]), close,
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
