// The panel beside the drawing: a few groups of controls, folded where they are used seldom.

import { actingPanel } from "./acting";
import { Actuators } from "./actuators";
import { keys } from "./controls";
import { Dimensions } from "./dimensions";
import { button, element } from "./elements";
import { Handle } from "./handle";
import { keepingPanel } from "./keeping";
import { Modes } from "./modes";
import type { Play } from "./play";
import { Points } from "./points";
import { Pulling } from "./pulling";
import { Teaching } from "./teaching";
import { Values } from "./values";

export interface Parts {
  pulling: Pulling;
  handle: Handle | null;
  actuators: Actuators | null;
  modes: Modes;
  teaching: Teaching;
}

/** All that moves the mechanism, put into a panel. */
export function fillPanel(play: Play, panel: HTMLElement): Parts {
  const { engine, viewer, data, units, history } = play;
  const actuators = engine.state.actuators.length ? new Actuators(play) : null;
  const handle = engine.state.platform ? new Handle(play) : null;
  const pulling = new Pulling(play, () => Boolean(handle?.grip.dragging));
  const modes = new Modes(play);
  const home = button("Home pose", "Back to the home position (h)", () => play.goHome());
  home.id = "home";
  viewer.view.append(element("div", { class: "hand tools", role: "toolbar", "aria-label": "Poses" }, history.undo, history.redo, home));
  const tools = element("span", { class: "tools" }, ...units.buttons());
  if (actuators) panel.append(group("Actuators", true, tools, actuators.box));
  if (engine.parameters.length) {
    const dimensions = new Dimensions(play), { designs } = data;
    panel.append(group(designs ? "Designs" : "Dimensions", true, dimensions.nominal, ...(designs ? [dimensions.choice(designs)] : []), dimensions.box));
  }
  panel.append(group("What acts in a run", true, null, actingPanel(play, actuators)));
  panel.append(group("Values", true, actuators ? null : tools, new Values(play, actuators?.units ?? []).box));
  const teaching = new Teaching(play);
  panel.append(group("Motion and forces", false, null, teaching.box));
  panel.append(group("Points and paths", false, null, new Points(play).box));
  if (handle) panel.append(group("Platform", false, handle.turn, handle.box));
  if (data.engine!.has_loops && actuators) panel.append(group("Assembly modes", false, modes.open, modes.box));
  panel.append(group("Keep", false, null, keepingPanel(play, actuators)));
  keys({ h: () => play.goHome(), b: () => play.back(), t: () => play.take(), ".": () => play.step(), m: () => modes.fill() });
  units.listen(() => play.parts.forEach((part) => part.read()));
  return { pulling, handle, actuators, modes, teaching };
}

function group(title: string, open: boolean, tools: HTMLElement | null, ...content: HTMLElement[]): HTMLElement {
  const fold = element("details", { class: "group" }, element("summary", {}, element("h2", {}, title)), ...(tools ? [element("div", { class: "group-tools" }, tools)] : []), ...content);
  fold.open = open;
  return fold;
}
