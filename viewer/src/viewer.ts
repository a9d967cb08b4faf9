// The page: scene, time, curves and controls joined together.

import { Box3, Group, Object3D, Vector3 } from "three";
import { Beams } from "./beams";
import { Bending } from "./bending";
import { Clock } from "./clock";
import { Layer, Transport, keys, layerPanel } from "./controls";
import { PageData, SceneData } from "./data";
import { Efforts, Reactions } from "./efforts";
import type { Engine } from "./engine/engine";
import type { SceneShape } from "./engine/scene_shape";
import { cloud, cornersOf, lowest } from "./fitting";
import { Ghost } from "./ghost";
import { gravityArrow } from "./gravity";
import { Hover } from "./hover";
import { Help } from "./help";
import { icon } from "./icons";
import { Frames, Rods, grid, gridCell } from "./lines";
import { Names } from "./naming";
import { Overlay } from "./overlay";
import { Parts, fillPanel } from "./panel";
import { Play } from "./play";
import { Plots } from "./plots";
import { listenToPrinting } from "./printing";
import { recordButton } from "./recording";
import { Solids } from "./solids";
import { offered } from "./saving";
import { Stage } from "./stage";
import { stillPicture } from "./still";
import { Traces } from "./traces";
import { Tracks } from "./tracks";
import { Workspace } from "./workspace";
import { button, element } from "./elements";

const LOOKS = [0.8, 0.6, 0.4, 0.2, 0];
const MANY = 200; // bodies, of which one look is enough

export class Viewer {
  readonly tracks: Tracks;
  readonly clock: Clock;
  readonly stage: Stage;
  readonly efforts: Efforts;
  readonly hover: Hover;
  readonly view = element("section", { class: "view", "aria-label": "Mechanism in three dimensions" });
  readonly side = element("section", { class: "side", "aria-label": "Curves", tabindex: "0" });
  private readonly charts = element("div", { class: "charts" });
  private readonly panel = element("div", { class: "panel" });
  private readonly explanation = document.querySelector<HTMLElement>("#report.explanation"); // stands beside the drawing
  private readonly tabs: HTMLButtonElement[] = [];
  play: Play | null = null; // where the page computes its mechanism
  parts: Parts | null = null;
  private readonly bodies: Solids;
  private readonly signs: Solids;
  private readonly rods: Rods;
  readonly beams: Beams;
  private readonly bending: Bending;
  private readonly frames: Frames;
  private readonly reactions: Reactions;
  readonly traces: Traces;
  private readonly plots: Plots;
  private readonly ghost: Ghost;
  readonly workspace: Workspace | null = null;
  readonly transport: Transport;
  private toolbar!: HTMLElement;
  private readonly ground = new Group();
  private readonly help: Help;
  private readonly overlay: Overlay;
  outline: Vector3[] = []; // points round the mechanism
  private seen: Vector3[] = []; // and round the arrow of gravity

  constructor(root: HTMLElement, readonly data: PageData) {
    const { scene } = data;
    this.tracks = new Tracks(scene.bodies.length, data.t, data.poses);
    this.clock = new Clock(this.tracks.start, this.tracks.end, () => this.stage.later());
    this.transport = new Transport(this.clock, data.states);
    this.help = new Help(Boolean(data.engine));
    const player = element("div", { class: "player" }, this.view, this.transport.bar);
    const [head, split] = [this.head(), element("div", { class: "split" }, player, this.side)];
    root.append(head, split, ...this.notes());
    measureAbove(root, head, split);
    this.bodies = new Solids(scene.solids.filter((s) => s.layer === "body"), scene.meshes);
    this.signs = new Solids(scene.solids.filter((s) => s.layer === "joint"));
    this.rods = new Rods(scene.rods, scene.unit);
    this.beams = new Beams(scene.beams);
    this.bending = new Bending(this.beams, () => this.stage.later());
    this.frames = new Frames(scene);
    this.efforts = new Efforts(data, this.tracks);
    this.reactions = new Reactions(data, this.tracks);
    this.stage = new Stage(this.view, scene, () => this.show());
    const solids = this.joined();
    this.hover = new Hover(this.stage, solids, [this.rods.group, this.beams.group], data, this.tracks, () => this.clock.time);
    const names = new Names(scene, (what) => {
      solids.highlight(what);
      this.stage.later();
    });
    const text = document.getElementById("report");
    if (text) names.readText(text);
    this.hover.noticed = (what) => names.show(what);
    this.traces = new Traces(data, this.tracks);
    this.traces.listen(this.stage, this.hover, () => this.stage.later());
    this.overlay = new Overlay(this.stage, gridCell(scene));
    this.ghost = new Ghost(data);
    if (data.workspace) this.workspace = new Workspace(data.workspace, () => this.stage.later());
    const { start, end } = this.tracks;
    this.side.append(...this.tabBar(), ...(this.explanation ? [this.explanation] : []), this.charts, this.panel);
    this.plots = new Plots(this.charts, data, end > start ? [start, end] : [start - 0.5, start + 0.5], (t) => this.clock.seek(t));
    this.view.hidden = !scene.bodies.length;
    if (!this.stage.drawing) this.view.append(stillPicture());
    this.side.hidden = !this.first && !data.engine;
    this.side.classList.toggle("narrow", !this.first);
    this.fill();
    const record = recordButton(this.stage.renderer.domElement, this.clock, data.title);
    if (record) this.toolbar.append(record);
    this.paint();
    this.keyboard();
    listenToPrinting(() => {
      this.paint();
      this.stage.draw();
    });
  }

  /** Both layers of solids, for picking and highlighting. */
  private joined(): Solids {
    const { bodies, signs } = this;
    const both = new Solids([]);
    both.group.add(bodies.group, signs.group);
    both.found = (object, instance) => bodies.found(object, instance) ?? signs.found(object, instance);
    both.highlight = (what) => [bodies, signs].forEach((solids) => solids.highlight(what));
    this.stage.scene.add(both.group);
    return both;
  }

  private fill(): void {
    const { scene } = this.stage;
    const paths = this.traces.group;
    this.bodies.group.add(this.rods.group, this.beams.group);
    const region = this.workspace ? [this.workspace.group] : [];
    this.outline = this.surrounding([this.bodies.group, this.signs.group, paths, ...region]);
    const gravity = gravityArrow(this.data.scene, this.outline);
    scene.add(this.ghost.group, this.frames.group, this.efforts.group, this.reactions.group, paths, gravity, this.ground);
    this.seen = [...this.outline, ...cornersOf(new Box3().setFromObject(gravity))].filter((p) => Number.isFinite(p.x));
    const layer = (key: string, label: string, object: Object3D, on: boolean): Layer => ({
      key, label, on, set: (shown) => { object.visible = shown; this.stage.later(); },
    });
    const moving = this.tracks.frames > 1 || Boolean(this.data.engine);
    const panel = layerPanel([
      layer("bodies", "bodies", this.bodies.group, true),
      layer("joints", "joints", this.signs.group, !this.data.scene.meshes.length),
      ...(this.workspace ? [layer("workspace", "workspace", this.workspace.group, true)] : []),
      ...(this.ghost.any ? [layer("ghost", "compared run", this.ghost.group, true)] : []),
      layer("frames", "frames", this.frames.group, false),
      ...(this.data.tau || this.data.engine ? [layer("efforts", "actuator efforts", this.efforts.group, true)] : []),
      ...(this.reactions.any ? [layer("reactions", "reactions", this.reactions.group, false)] : []),
      ...(moving ? [layer("paths", "paths", paths, true)] : []),
      layer("gravity", "gravity", gravity, true),
      layer("grid", "grid", this.ground, true),
    ], this.view.clientWidth);
    this.view.append(panel);
    this.stage.covered = panel.open ? panel.offsetLeft + panel.offsetWidth : 0;
    this.view.append(this.bending.panel);
    if (this.workspace) {
      scene.add(this.workspace.group);
      this.view.append(this.workspace.panel);
    }
    this.stage.look(this.seen);
  }

  /** Points round everything over the whole motion, seen at some times of it. */
  private surrounding(groups: Object3D[]): Vector3[] {
    const { start, end, frames, bodies } = this.tracks;
    let points: Vector3[] = [];
    for (const share of frames > 1 && bodies < MANY ? LOOKS : [0]) {
      this.tracks.show(start + share * (end - start));
      this.place();
      for (const group of groups) points = points.concat(cloud(group));
    }
    this.tracks.show(this.clock.time);
    this.place();
    return points.length ? points : cornersOf(new Box3(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5)));
  }

  /** Draw the mechanism with other dimensions, from the same side. */
  reshape(scene: SceneData): void {
    this.bodies.fill(scene.solids.filter((s) => s.layer === "body"));
    this.signs.fill(scene.solids.filter((s) => s.layer === "joint"));
    this.rods.fill(scene.rods, scene.unit);
    this.beams.fill(scene.beams);
    this.frames.fill(scene);
    this.efforts.move(scene.efforts);
    this.stage.later();
  }

  /** What the page begins with beside the drawing, where that is not the panel of play. */
  private get first(): HTMLElement | null {
    return this.explanation ?? (this.data.plots.length ? this.charts : null);
  }

  /** A choice between explanation or curves and play, where the page has both. */
  private tabBar(): HTMLElement[] {
    this.panel.hidden = this.first !== null;
    if (!this.data.engine || !this.first) return [];
    const label = this.explanation ? ["Explanation", "How the mechanism is solved"] : ["Curves", "The curves of the report"];
    this.tabs.push(...[label, ["Play", "Move the mechanism by hand"]].map(([label, title], i) => button(label, title, () => this.turn(i === 1))));
    this.turn(false);
    return [element("div", { class: "tabs", role: "group", "aria-label": "Beside the drawing" }, ...this.tabs)];
  }

  /** The mechanism was taken into the hand: show the panel of play, but leave an explanation where it is. */
  turnToPlay(): void {
    if (!this.explanation) this.turn(true);
  }

  /** Show the panel of play beside the drawing, or the curves. */
  turn(playing: boolean): void {
    if (!this.tabs.length) return;
    [this.panel.hidden, this.first!.hidden] = [!playing, playing];
    this.tabs.forEach((tab, i) => tab.setAttribute("aria-pressed", String((i === 1) === playing)));
  }

  /** Put the mechanism into the reader's hands; where it cannot be computed the reason is a note. */
  open(engine: Engine | string, shape: SceneShape | null): void {
    if (typeof engine === "string") {
      this.side.hidden = !this.first;
      for (const tab of this.tabs) tab.parentElement!.hidden = true;
      this.turn(false);
      this.view.closest("#linkwright")!.append(element("p", { class: "note", role: "status" }, engine));
      return;
    }
    this.play = new Play(this, engine, shape);
    this.parts = fillPanel(this.play, this.panel);
    if (this.clock.still) this.play.take();
    else this.play.bar.show();
    this.stage.later();
  }

  private head(): HTMLElement {
    const sides = (["home", "front", "right", "top"] as const).map((side) =>
      button(side[0].toUpperCase() + side.slice(1), `View from the ${side === "home" ? "start" : side}`, () => this.stage.look(this.seen, side)),
    );
    const tools = element("div", { class: "tools", role: "toolbar", "aria-label": "View" }, ...sides);
    tools.append(
      button("Flat", "Change between orthographic and perspective view (o)", () => this.stage.project(!this.stage.orthographic)),
      button("PNG", "Save a picture (p)", () => void this.save()),
    );
    this.toolbar = tools;
    const theme = button("", "Light or dark (d)", () => this.theme());
    theme.append(icon("theme"));
    theme.id = "theme";
    const always = element("div", { class: "tools always" }, theme, this.help.open);
    return element("header", {}, element("h1", {}, this.data.title), tools, always, this.help.dialog);
  }

  private notes(): HTMLElement[] {
    const { notes, engineReason } = this.data;
    return [...notes, ...(engineReason ? [engineReason] : [])].map((note) => element("p", { class: "note" }, note));
  }

  private theme(): void {
    const dark = document.documentElement.dataset.theme !== "dark";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.paint();
  }

  private paint(): void {
    const dark = document.documentElement.dataset.theme === "dark";
    this.ground.clear();
    const up = new Vector3().fromArray(this.data.scene.up);
    this.ground.add(grid(this.data.scene, lowest(this.outline.map((p) => p.dot(up))), dark));
    this.stage.paint(dark ? "#16191d" : "#ffffff");
  }

  private async save(): Promise<void> {
    this.stage.draw();
    const { domElement } = this.stage.renderer, { width, height } = domElement;
    const picture = element("canvas", { width: String(width), height: String(height) });
    picture.getContext("2d")!.drawImage(domElement, 0, 0);
    await this.parts?.teaching.paintOn(picture);
    picture.toBlob((content) => content && offered(`${this.data.title}.png`, content));
  }

  private keyboard(): void {
    keys({
      " ": () => (this.play?.shown ? this.play.toggle() : this.clock.toggle()),
      ArrowRight: () => this.play?.shown || this.clock.step(0.01),
      ArrowLeft: () => this.play?.shown || this.clock.step(-0.01),
      Home: () => this.play?.shown || this.clock.seek(this.clock.start),
      End: () => this.play?.shown || this.clock.seek(this.clock.end),
      f: () => this.stage.look(this.seen),
      o: () => this.stage.project(!this.stage.orthographic),
      p: () => void this.save(),
      d: () => this.theme(),
      "?": () => this.help.show(),
      Escape: () => {
        this.traces.clear();
        this.stage.later();
      },
    });
  }

  /** Bring everything to the present time, or to the state of the engine. */
  private show(): void {
    if (!this.play?.shown) {
      this.hover.liveQ = null;
      this.tracks.show(this.clock.time);
    }
    this.play?.place();
    this.place();
    this.transport.show();
    this.plots.show(this.clock.time);
    this.hover.refresh();
    this.overlay.show();
    this.parts?.teaching.draw();
  }

  place(): void {
    this.placeBodies();
    this.bending.show();
    this.traces.place();
    if (this.play?.shown) {
      if (this.reactions.group.visible) this.reactions.take(this.play.engine.reactions(), this.data.scene.extent);
      return;
    }
    this.ghost.place(this.clock.time);
    this.efforts.place(this.clock.time);
    this.reactions.place(this.clock.time);
  }

  /** Everything that moves with a body. */
  placeBodies(): void {
    const { matrices } = this.tracks;
    this.bodies.place(matrices);
    this.signs.place(matrices);
    this.rods.place(matrices);
    this.beams.place(matrices, (column) => this.hover.coordinate(column));
    this.frames.place(matrices);
  }
}

/** Keep the height of the heading and of all that stands above the animation for the style of the page. */
function measureAbove(root: HTMLElement, head: HTMLElement, split: HTMLElement): void {
  const observer = new ResizeObserver(() => {
    root.style.setProperty("--head", `${head.offsetHeight}px`);
    root.style.setProperty("--above", `${split.offsetTop - root.offsetTop}px`);
  });
  for (const part of [root, head]) observer.observe(part);
}
