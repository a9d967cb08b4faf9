// A pointer, or keys, at a point of any body: in the hand the body follows as far as the loops allow, in a run it is
// pushed by a force.

import { Group, Mesh, MeshBasicMaterial, Plane, Raycaster, SphereGeometry, Vector3 } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { Sign, signOf } from "./arrows";
import { keys } from "./controls";
import { element, number } from "./elements";
import type { Play } from "./play";
import { STILL } from "./traces";

const COLOR = "#cc3377";
const MOVED = 1e-7; // a smaller change of all coordinates is a rest
const PRESS = 0.03; // of the height of the picture: one press of a key
const LEAST_WEIGHT = 1; // [N] that pushes of light mechanisms are compared with
const G = 9.81;

interface Held {
  body: number;
  point: Vector3; // in the body's frame
  target: Vector3;
  plane: Plane;
  sight: Vector3;
  moved: boolean;
  from: [number, number]; // of the pointer on the screen
}

export class Pulling {
  private held: Held | null = null;
  private last: number[] = [];
  private chosen = -1; // body that keys pull
  private readonly ray = new Raycaster();
  private readonly group = new Group();
  private readonly sphere: Mesh;
  private readonly line = new Line2(new LineGeometry(), new LineMaterial({ color: COLOR, linewidth: 2.5, depthTest: false, transparent: true }));
  private readonly arrow: Sign;
  private readonly newtons = element("div", { class: "newtons", hidden: "" });
  private readonly stiffness: number; // of the push [N/m]

  constructor(private readonly play: Play, private readonly busy: () => boolean) {
    const { stage, data } = play.viewer, { extent, unit } = data.scene;
    const weight = G * data.scene.bodies.reduce((sum, body) => sum + body.mass, 0);
    this.stiffness = (2 * Math.max(weight, LEAST_WEIGHT)) / extent;
    this.sphere = new Mesh(new SphereGeometry(1.2 * unit, 20, 10), new MeshBasicMaterial({ color: COLOR, depthTest: false, transparent: true }));
    this.arrow = signOf(false, COLOR, unit, 0.25 * extent);
    this.line.frustumCulled = false;
    this.line.renderOrder = this.sphere.renderOrder = 2;
    this.group.visible = false;
    this.group.add(this.sphere, this.line, this.arrow.group);
    stage.scene.add(this.group);
    stage.host.append(this.newtons);
    const canvas = stage.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => this.take(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, () => this.drop());
    play.acts.push(() => this.act());
    this.listenToKeys();
  }

  private take(event: PointerEvent): void {
    if (this.busy() || event.button !== 0 || !event.isPrimary) return this.drop();
    const { hover, stage } = this.play.viewer;
    const touched = hover.touched(event);
    if (!touched) return;
    stage.controls.enabled = false;
    this.hold(touched.body, touched.at, [event.clientX, event.clientY]);
  }

  private hold(body: number, at: Vector3, from: [number, number]): void {
    const { stage, tracks } = this.play.viewer;
    const sight = stage.camera.getWorldDirection(new Vector3());
    const point = at.clone().applyMatrix4(tracks.matrices[body].clone().invert());
    this.held = { body, point, target: at.clone(), plane: new Plane().setFromNormalAndCoplanarPoint(sight, at), sight, moved: false, from };
    this.last = [];
  }

  private move(event: PointerEvent): void {
    const { held, play } = this;
    if (!held || !event.isPrimary) return;
    if (!held.moved && Math.hypot(event.clientX - held.from[0], event.clientY - held.from[1]) <= STILL) return;
    this.ray.setFromCamera(play.viewer.stage.pointer(event), play.viewer.stage.camera);
    if (!this.ray.ray.intersectPlane(held.plane, held.target)) return;
    held.moved = true;
    this.last = [];
    play.take();
    play.changed();
  }

  private drop(): void {
    if (!this.held) return;
    const { body, point } = this.held;
    this.held = null;
    this.play.viewer.stage.controls.enabled = true;
    this.group.visible = false;
    this.newtons.hidden = true;
    if (this.play.inRun) this.play.engine.push(body, point.toArray(), [0, 0, 0]);
    this.play.changed();
  }

  /** Before every picture: pull on while the mechanism still comes nearer, or push. */
  private act(): void {
    const { held, play } = this;
    if (!held?.moved) return;
    if (play.running) return this.push(held);
    const q = Array.from(play.engine.state.q);
    const moved = q.some((x, i) => !(Math.abs(x - this.last[i]) < MOVED));
    this.last = q;
    if (moved) play.hand(() => play.engine.pullBody(held.body, held.point.toArray(), held.target.toArray(), held.sight.toArray()));
    this.show(held);
  }

  private push(held: Held): void {
    const { engine } = this.play;
    const force = held.target.clone().sub(this.at(held)).multiplyScalar(this.stiffness);
    engine.push(held.body, held.point.toArray(), force.toArray());
    this.show(held);
    const size = force.length();
    this.arrow.point(this.at(held), size > 0 ? force.clone().divideScalar(size) : force, size / this.stiffness);
    this.label(held.target, `${number(size, 3)} N`);
  }

  /** Where the point is now. */
  private at({ body, point }: Held): Vector3 {
    return point.clone().applyMatrix4(this.play.viewer.tracks.matrices[body]);
  }

  /** A sphere at the point and a line to the pointer. */
  private show(held: Held): void {
    this.play.viewer.tracks.take(this.play.engine.state.poses);
    const at = this.at(held);
    this.sphere.position.copy(at);
    this.arrow.group.visible = false;
    this.newtons.hidden = true;
    this.line.visible = !this.play.running;
    if (this.line.visible) this.line.geometry.setPositions([...at.toArray(), ...held.target.toArray()]);
    this.group.visible = true;
  }

  /** A text at a point of the drawing. */
  private label(at: Vector3, text: string): void {
    const { camera, host } = this.play.viewer.stage, p = at.clone().project(camera);
    this.newtons.hidden = false;
    this.newtons.textContent = text;
    this.newtons.style.transform = `translate(${((p.x + 1) / 2) * host.clientWidth + 14}px, ${((1 - p.y) / 2) * host.clientHeight - 10}px)`;
  }

  /** n chooses a body, i j k l pull it up, left, down and right, or push it while they are held in a run. */
  private listenToKeys(): void {
    const pull = (right: number, up: number) => () => this.press(right, up);
    keys({ n: () => this.choose(1), N: () => this.choose(-1), i: pull(0, 1), k: pull(0, -1), j: pull(-1, 0), l: pull(1, 0) });
    window.addEventListener("keyup", (event) => "ijkl".includes(event.key) && this.drop());
  }

  private choose(by: number): void {
    const { viewer } = this.play, { bodies } = viewer.data.scene;
    this.play.take();
    this.chosen = (this.chosen + by + bodies.length) % bodies.length;
    viewer.hover.mark(this.chosen);
    this.play.say(`${bodies[this.chosen].name}: pull it with i, j, k, l.`, false);
  }

  private press(right: number, up: number): void {
    if (this.chosen < 0) this.choose(1);
    const { viewer, engine, running } = this.play, { camera } = viewer.stage;
    if (!this.held) {
      const center = new Vector3().fromArray(viewer.data.engine!.bodies[this.chosen].center);
      viewer.tracks.take(engine.state.poses);
      this.hold(this.chosen, center.applyMatrix4(viewer.tracks.matrices[this.chosen]), [0, 0]);
    }
    const held = this.held!, far = PRESS * viewer.stage.tall() * (running ? 3 : 1);
    held.target.copy(this.at(held));
    held.target.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 0), far * right);
    held.target.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 1), far * up);
    held.moved = true;
    this.last = [];
    this.play.changed();
  }
}
