// Paths of points: those that the page names, and those of points that a reader clicks.

import { Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { PageData } from "./data";
import { Hover } from "./hover";
import { Stage } from "./stage";
import { Tracks } from "./tracks";

export const PATH_COLORS = ["#ee6677", "#4477aa", "#228833", "#ccbb44", "#aa3377", "#66ccee"];
export const STILL = 5; // pixels that a click may move
const MOST = 4000; // points of a path that grows

interface Item {
  name: string;
  color: string;
  body: number;
  point: Vector3; // in the body's frame
  line: Line2;
  dot: Mesh;
  recorded: number[];
  live: number[];
  named: boolean;
}

export class Traces {
  readonly group = new Group();
  private items: Item[] = [];
  changed: () => void = () => undefined; // called when there are other points
  private growing = false; // paths of the engine, from now on

  constructor(private readonly data: PageData, private readonly tracks: Tracks) {
    for (const path of data.scene.paths) if (path.body >= 0) this.add(path.body, new Vector3().fromArray(path.xyz), path.name);
  }

  /** The path of a point of a body: over the whole motion, or from now on where the reader moves it. */
  add(body: number, point: Vector3, name = ""): void {
    const color = PATH_COLORS[this.items.length % PATH_COLORS.length];
    const line = new Line2(new LineGeometry(), new LineMaterial({ color, linewidth: 2.5 }));
    line.frustumCulled = false;
    const dot = new Mesh(new SphereGeometry(0.7 * this.data.scene.unit, 16, 8), new MeshBasicMaterial({ color, depthTest: false }));
    dot.renderOrder = 1;
    const named = name !== "", called = name || `point of ${this.data.scene.bodies[body].name}`;
    this.items.push({ name: called, color, body, point, line, dot, recorded: this.tracks.trace(body, point.toArray()), live: [], named });
    this.group.add(line, dot);
    this.draw(this.items.at(-1)!);
    this.place();
    this.changed();
  }

  /** Points with their paths, for a list. */
  get all(): readonly Readonly<Item>[] {
    return this.items;
  }

  /** Remove the paths of clicked points. */
  clear(): void {
    for (const item of this.items.filter((each) => !each.named)) this.remove(item);
  }

  remove({ line, dot }: Readonly<Item>): void {
    this.group.remove(line, dot);
    line.geometry.dispose();
    dot.geometry.dispose();
    this.items = this.items.filter((item) => item.line !== line);
    this.changed();
  }

  /** Dots at the points. */
  place(): void {
    for (const item of this.items) item.dot.position.copy(item.point).applyMatrix4(this.tracks.matrices[item.body]);
  }

  /** Change between the paths of the recorded motion and those of the reader's, which begin now. */
  follow(growing: boolean): void {
    this.growing = growing;
    this.restart();
  }

  /** Begin the reader's paths again. */
  restart(): void {
    for (const item of this.items) item.live = [];
    this.items.forEach((item) => this.draw(item));
  }

  private draw({ line, recorded, live }: Item): void {
    drawn(line, this.growing ? live : recorded);
  }

  /** The reader's paths go on to where their points are now; a jump begins them again. */
  grow(): void {
    this.place();
    for (const item of this.items) grown(item, 0.25 * this.data.scene.extent);
  }

  /** A click that is not a drag traces the point under the pointer. */
  listen(stage: Stage, hover: Hover, added: () => void): void {
    const canvas = stage.renderer.domElement;
    let down: PointerEvent | null = null;
    canvas.addEventListener("pointerdown", (event) => (down = event.isPrimary && event.button === 0 ? event : null));
    canvas.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > STILL) return;
      const touched = hover.touched(event);
      if (!touched) return;
      this.add(touched.body, touched.at.clone().applyMatrix4(this.tracks.matrices[touched.body].clone().invert()));
      added();
    });
  }
}

function grown(item: Item, jump: number): void {
  const { x, y, z } = item.dot.position;
  const [a, b, c] = item.live.slice(-3);
  if (a === x && b === y && c === z) return;
  if (item.live.length && Math.hypot(x - a, y - b, z - c) > jump) item.live = [];
  item.live.push(x, y, z);
  if (item.live.length > 3 * MOST) item.live.splice(0, 3);
  drawn(item.line, item.live);
}

function drawn(line: Line2, xyz: number[]): void {
  line.visible = xyz.length >= 6;
  if (!line.visible) return;
  line.geometry.dispose();
  line.geometry = new LineGeometry();
  line.geometry.setPositions(xyz);
}
