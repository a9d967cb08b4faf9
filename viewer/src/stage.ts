// Renderer, cameras, light and the way a pointer moves the view.

import {
  AmbientLight,
  Box3,
  Color,
  DirectionalLight,
  OrthographicCamera,
  PerspectiveCamera,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { SceneData } from "./data";
import { fitted } from "./fitting";
import { listenToKeys } from "./orbit";

type Painter = Pick<WebGLRenderer, "domElement" | "setPixelRatio" | "setSize" | "render" | "getContext">;

/** Draws nothing, where a browser has no WebGL. */
const NOTHING: Painter = {
  domElement: document.createElement("canvas"),
  setPixelRatio: () => undefined,
  setSize: () => undefined,
  render: () => undefined,
  getContext: () => ({ finish: () => undefined }) as WebGL2RenderingContext,
};

function painter(): Painter | null {
  try {
    return new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  } catch {
    return null;
  }
}

export class Stage {
  readonly scene = new Scene();
  readonly renderer: Painter;
  readonly drawing: boolean; // false where the browser has no WebGL
  readonly controls: OrbitControls;
  camera: PerspectiveCamera | OrthographicCamera;
  private readonly perspective = new PerspectiveCamera(35, 1, 0.01, 1000);
  private readonly flat = new OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private readonly sun = new DirectionalLight("#ffffff", 1.9);
  private readonly target = new Vector3();
  private waiting = false;
  projected: () => void = () => undefined; // called when the camera is another one
  covered = 0; // pixels on the left that lie under a panel

  constructor(readonly host: HTMLElement, private readonly data: SceneData, private readonly changed: () => void) {
    const found = painter();
    this.drawing = found !== null;
    this.renderer = found ?? NOTHING;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    const canvas = this.renderer.domElement;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "The mechanism; arrows turn the view, with Shift they move it, plus and minus zoom");
    canvas.hidden = !this.drawing;
    host.append(canvas);
    listenToKeys(this);
    this.scene.add(new AmbientLight("#ffffff", 1.25), this.sun);
    this.camera = data.normal ? this.flat : this.perspective;
    for (const camera of [this.perspective, this.flat]) camera.up.fromArray(this.screenUp());
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.later());
    this.controls.zoomToCursor = true;
    new ResizeObserver(() => this.resize()).observe(host);
  }

  get orthographic(): boolean {
    return this.camera === this.flat;
  }

  /** Draw with the next frame of the browser. */
  later(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.changed();
      this.draw();
    });
  }

  draw(): void {
    this.sun.position.copy(this.camera.position).addScaledVector(this.camera.up, 0.6 * this.data.extent);
    this.renderer.render(this.scene, this.camera);
  }

  /** Look at points from one of the usual sides. */
  look(points: Vector3[], side: "home" | "front" | "top" | "right" = "home"): void {
    const size = Math.max(new Box3().setFromPoints(points).getSize(new Vector3()).length(), 1e-6);
    const from = this.direction(side);
    this.resize();
    const upward = Math.tan((this.perspective.fov * Math.PI) / 360);
    const empty = this.covered / Math.max(this.host.clientWidth, 1);
    const fit = fitted(points, from, this.camera.up, upward * this.perspective.aspect, upward, empty < 0.16 ? empty : 0.05, Math.max(this.host.clientHeight, 1));
    this.target.copy(fit.center);
    for (const camera of [this.perspective, this.flat]) {
      camera.near = 0.01 * size;
      camera.far = 40 * size;
      camera.position.copy(this.target).addScaledVector(from, camera === this.flat ? 10 * size : fit.distance);
      camera.zoom = 1;
      camera.updateProjectionMatrix();
    }
    Object.assign(this.flat.userData, { width: fit.width, height: fit.height, away: 10 * size });
    this.controls.target.copy(this.target);
    this.resize();
    this.controls.update();
    this.later();
  }

  private direction(side: string): Vector3 {
    const up = new Vector3().fromArray(this.data.up);
    if (this.data.normal && side === "home") return new Vector3().fromArray(this.data.normal);
    const front = perpendicular(up);
    const right = new Vector3().crossVectors(front, up).negate();
    if (side === "front") return front;
    if (side === "right") return right;
    if (side === "top") return up.clone().addScaledVector(front, 1e-3).normalize();
    return front.multiplyScalar(0.78).addScaledVector(right, 0.45).addScaledVector(up, 0.42).normalize();
  }

  private screenUp(): number[] {
    const up = new Vector3().fromArray(this.data.up);
    if (!this.data.normal) return up.toArray();
    const normal = new Vector3().fromArray(this.data.normal);
    if (Math.abs(normal.dot(up)) < 0.99) return up.toArray();
    return Math.abs(normal.y) < 0.9 ? [0, 1, 0] : [0, 0, 1];
  }

  /** Change between the two kinds of projection; what is at the target keeps its size. */
  project(orthographic: boolean): void {
    const [old, next] = [this.camera, orthographic ? this.flat : this.perspective];
    if (old === next) return;
    const sight = old.position.clone().sub(this.controls.target);
    const upward = 2 * Math.tan((this.perspective.fov * Math.PI) / 360);
    if (orthographic) {
      Object.assign(this.flat.userData, { width: 0, height: sight.length() * upward });
      sight.setLength(this.flat.userData.away ?? sight.length());
    } else sight.setLength((this.flat.top - this.flat.bottom) / this.flat.zoom / upward);
    next.position.copy(this.controls.target).add(sight);
    next.quaternion.copy(old.quaternion);
    next.zoom = 1;
    this.camera = next;
    this.controls.object = next;
    this.projected();
    this.resize();
    this.controls.update();
    this.later();
  }

  paint(background: string): void {
    this.scene.background = new Color(background);
    this.later();
  }

  resize(): void {
    const [width, height] = [Math.max(this.host.clientWidth, 1), Math.max(this.host.clientHeight, 1)];
    this.renderer.setSize(width, height);
    this.perspective.aspect = width / height;
    const tall = Math.max(this.flat.userData.height ?? 2, (this.flat.userData.width ?? 2) / Math.max(width / height, 0.3));
    [this.flat.top, this.flat.bottom] = [tall / 2, -tall / 2];
    [this.flat.right, this.flat.left] = [(tall / 2) * (width / height), (-tall / 2) * (width / height)];
    this.perspective.updateProjectionMatrix();
    this.flat.updateProjectionMatrix();
    this.later();
  }

  /** Height [m] of what is seen at the target. */
  tall(): number {
    if (this.orthographic) return (this.flat.top - this.flat.bottom) / this.flat.zoom;
    const away = this.perspective.position.distanceTo(this.controls.target);
    return 2 * away * Math.tan((this.perspective.fov * Math.PI) / 360);
  }

  /** Pointer position for picking, -1 to 1 on both axes. */
  pointer(event: { clientX: number; clientY: number }): Vector2 {
    const box = this.renderer.domElement.getBoundingClientRect();
    return new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
  }

}

function perpendicular(up: Vector3): Vector3 {
  const guess = Math.abs(up.y) < 0.9 ? new Vector3(0, -1, 0) : new Vector3(0, 0, 1);
  return guess.addScaledVector(up, -guess.dot(up)).normalize();
}
