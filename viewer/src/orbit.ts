// The view by keys while the drawing has the focus: arrows turn it, with Shift they move it, plus and minus zoom.

import { Quaternion, Vector3 } from "three";
import { Stage } from "./stage";

const TURN = 0.08; // [rad] for one press
const STEEPEST = 0.02; // [rad] between the line of sight and the vertical
const ZOOM = 1.15;

export function listenToKeys(stage: Stage): void {
  stage.renderer.domElement.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions(stage, event.shiftKey)[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
    stage.controls.update();
    stage.later();
  });
}

function actions(stage: Stage, moving: boolean): Record<string, () => void> {
  const by = moving ? moved : turned;
  return {
    ArrowLeft: () => by(stage, -1, 0),
    ArrowRight: () => by(stage, 1, 0),
    ArrowUp: () => by(stage, 0, 1),
    ArrowDown: () => by(stage, 0, -1),
    "+": () => zoomed(stage, ZOOM),
    "=": () => zoomed(stage, ZOOM),
    "-": () => zoomed(stage, 1 / ZOOM),
  };
}

/** Turn the camera about the vertical through its target, and up or down. */
function turned({ camera, controls }: Stage, right: number, up: number): void {
  const sight = camera.position.clone().sub(controls.target);
  sight.applyQuaternion(new Quaternion().setFromAxisAngle(camera.up, TURN * right));
  const level = new Vector3().crossVectors(camera.up, sight).normalize();
  const steep = sight.angleTo(camera.up);
  const by = Math.min(Math.max(steep - TURN * up, STEEPEST), Math.PI - STEEPEST) - steep;
  if (level.length() > 0) sight.applyQuaternion(new Quaternion().setFromAxisAngle(level, by));
  camera.position.copy(controls.target).add(sight);
}

/** Move camera and target across the picture by a twentieth of its height. */
function moved(stage: Stage, right: number, up: number): void {
  const { camera, controls } = stage;
  const far = 0.05 * stage.tall();
  const across = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0).multiplyScalar(far * right);
  across.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 1), far * up);
  camera.position.add(across);
  controls.target.add(across);
}

function zoomed({ camera, controls, orthographic }: Stage, factor: number): void {
  if (orthographic) camera.zoom *= factor;
  else camera.position.sub(controls.target).divideScalar(factor).add(controls.target);
  camera.updateProjectionMatrix();
}
