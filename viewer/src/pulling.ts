// Pull at a point of any body: it follows the pointer in the plane of the screen as far as the loops allow.

import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Plane, Raycaster, SphereGeometry, Vector3 } from "three";
import { Query } from "./requests";
import { LiveState } from "./data";
import { Viewer } from "./viewer";

const COLOR = "#cc3377";
const MOVED = 1e-6; // a smaller change of all coordinates is a rest

export class Pulling {
  private held: { body: number; point: Vector3; plane: Plane; target: Vector3; sight: Vector3 } | null = null;
  private last: number[] = [];
  private readonly ray = new Raycaster();
  private readonly group = new Group();
  private readonly sphere: Mesh;
  private readonly line: Line;

  constructor(private readonly viewer: Viewer, private readonly send: (query: Query) => void, private readonly busy: () => boolean) {
    const { stage, data } = viewer;
    this.sphere = new Mesh(new SphereGeometry(1.2 * data.scene.unit, 20, 10), new MeshBasicMaterial({ color: COLOR, depthTest: false }));
    const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(new Float32Array(6), 3));
    this.line = new Line(geometry, new LineBasicMaterial({ color: COLOR, depthTest: false }));
    this.line.frustumCulled = false;
    this.group.renderOrder = 1;
    this.group.visible = false;
    this.group.add(this.sphere, this.line);
    stage.scene.add(this.group);
    const canvas = stage.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => this.take(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, () => this.drop());
  }

  get active(): boolean {
    return this.held !== null;
  }

  private take(event: PointerEvent): void {
    if (this.busy() || event.button !== 0 || !event.isPrimary) return;
    const { hover, stage, tracks } = this.viewer;
    const touched = hover.touched(event);
    if (!touched) return;
    stage.controls.enabled = false;
    const sight = stage.camera.getWorldDirection(new Vector3());
    const point = touched.at.clone().applyMatrix4(tracks.matrices[touched.body].clone().invert());
    const plane = new Plane().setFromNormalAndCoplanarPoint(sight, touched.at);
    this.held = { body: touched.body, point, plane, target: touched.at, sight };
    this.last = [];
    this.show();
  }

  private move(event: PointerEvent): void {
    const { stage } = this.viewer;
    if (!this.held) return;
    this.ray.setFromCamera(stage.pointer(event), stage.camera);
    if (!this.ray.ray.intersectPlane(this.held.plane, this.held.target)) return;
    this.go();
  }

  private go(): void {
    const { body, point, target, sight } = this.held!;
    this.send({ body, point: point.toArray(), target: target.toArray(), sight: sight.toArray() });
    this.show();
  }

  private drop(): void {
    if (!this.held) return;
    this.held = null;
    this.viewer.stage.controls.enabled = true;
    this.group.visible = false;
    this.viewer.stage.later();
  }

  /** After a response: pull on while the mechanism still comes nearer. */
  received(state: LiveState): void {
    if (!this.held) return;
    const moved = state.q.some((x, i) => !(Math.abs(x - this.last[i]) < MOVED));
    this.last = state.q;
    if (moved && !state.reached) this.go();
    else this.show();
  }

  /** A sphere at the point and a line to the pointer. */
  private show(): void {
    const { body, point, target } = this.held!;
    const at = point.clone().applyMatrix4(this.viewer.tracks.matrices[body]);
    this.sphere.position.copy(at);
    const positions = this.line.geometry.attributes.position;
    positions.setXYZ(0, at.x, at.y, at.z);
    positions.setXYZ(1, target.x, target.y, target.z);
    positions.needsUpdate = true;
    this.group.visible = true;
    this.viewer.stage.later();
  }
}
