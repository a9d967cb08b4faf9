// The arrow of gravity beside the mechanism, with its letter.

import { ArrowHelper, CanvasTexture, Group, Sprite, SpriteMaterial, Vector3 } from "three";
import { SceneData } from "./data";
import { highest } from "./fitting";

const GRAY = "#8a8f96";

/** An arrow just outside the points of a mechanism, on the right of the first view; empty without gravity. */
export function gravityArrow(scene: SceneData, points: Vector3[]): Group {
  const group = new Group();
  const g = new Vector3().fromArray(scene.gravity);
  if (g.length() === 0) return group;
  const side = sideways(scene);
  const center = new Vector3().fromArray(scene.center);
  const right = highest(points.map((p) => p.dot(side))) - center.dot(side);
  const size = 0.16 * scene.extent;
  const middle = center.addScaledVector(side, right + 0.08 * scene.extent);
  const along = g.normalize();
  const from = middle.clone().addScaledVector(along, -0.5 * size);
  group.add(new ArrowHelper(along, from, size, GRAY, 0.25 * size, 0.14 * size));
  group.add(letter("g", middle.addScaledVector(side, 0.05 * scene.extent), 0.07 * scene.extent));
  return group;
}

/** A letter that always faces the viewer. */
function letter(text: string, at: Vector3, size: number): Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  pen.font = "italic 52px serif";
  pen.fillStyle = GRAY;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(text, 32, 32);
  const sprite = new Sprite(new SpriteMaterial({ map: new CanvasTexture(canvas), depthWrite: false }));
  sprite.position.copy(at);
  sprite.scale.set(size, size, 1);
  return sprite;
}

function sideways(scene: SceneData): Vector3 {
  const up = new Vector3().fromArray(scene.up);
  const n = scene.normal ? new Vector3().fromArray(scene.normal) : new Vector3(0.3, -1, 0);
  const side = up.cross(n);
  return side.length() > 1e-6 ? side.normalize() : new Vector3(1, 0, 0);
}
