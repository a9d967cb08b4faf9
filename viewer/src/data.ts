// The content of a page, as src/linkwright/viewer/page_content.py writes it.

import { ChartData, PanelData } from "./chart_data";
import type { EngineData } from "./engine/engine";
import type { ShapeData } from "./engine/scene_shape";

export type Numbers = number[];

export interface Packed {
  shape: Numbers;
  kind: "f4" | "f8" | "u2" | "u4";
  base64: string;
  low?: Packed; // of each column, where numbers of two bytes count steps
  step?: Packed;
}

export interface Solid {
  layer: "body" | "joint";
  owner: number;
  kind: "box" | "cylinder" | "ball" | "spiral" | "plate" | "mesh";
  body: number;
  at: Numbers;
  size: Numbers;
  color: string;
  corners?: Numbers[];
  surface?: number;
}

/** Triangles, with corners in whole steps from the lowest. */
export interface Surface {
  low: Numbers;
  step: Numbers;
  corners: Packed;
  faces: Packed;
}

export interface Joint {
  name: string;
  kind: string;
  parent: number;
  child: number;
  at: Numbers;
  childAt: Numbers;
  parts: string[];
  column: number | null;
  lower: (number | null)[];
  upper: (number | null)[];
}

export interface Rod {
  name: string;
  kind: "rod" | "strut" | "spring" | "piston" | "tube";
  a: number;
  from: Numbers;
  b: number;
  to: Numbers;
}

export interface BeamData {
  name: string;
  body: number;
  column: number;
  count: number;
  stations: Numbers;
  fields: Numbers;
  held: Numbers;
  radius: number;
  color: string;
}

export interface FrameData {
  name: string;
  body: number;
  at: Numbers;
}

export interface PathData {
  name: string;
  body: number;
  xyz: Numbers;
}

export interface Effort extends FrameData {
  joint: string;
  axis: Numbers;
  ring: number; // radius of the ring of a moment
  moment: boolean;
}

export interface SceneData {
  name: string;
  base: string;
  bodies: { name: string; mass: number }[];
  joints: Joint[];
  solids: Solid[];
  meshes: Surface[];
  rods: Rod[];
  beams: BeamData[];
  frames: FrameData[];
  paths: PathData[];
  efforts: Effort[];
  gravity: Numbers;
  up: Numbers;
  normal: Numbers | null;
  center: Numbers;
  extent: number;
  unit: number;
}

/** A region of poses on a grid of positions: inside or not, and indices there. */
export interface WorkspaceData {
  title: string;
  names: string[];
  low: Numbers;
  step: Numbers;
  shape: Numbers;
  inside: Packed;
  indices: { name: string; unit: string; low: number; high: number; values: Packed }[];
  surface: { points: Packed; faces: Packed; values: Packed[] } | null;
  outline: Packed | null; // ends of the segments round a region of a plane
}

/** A number of the mechanism that a slider can change. */
export interface ParameterData {
  name: string;
  unit: string;
  value: number;
  low: number;
  high: number;
}

export interface PageData {
  format: number;
  title: string;
  notes: string[];
  scene: SceneData;
  t: Packed;
  poses: Packed;
  q: Packed;
  tau: Packed | null;
  reactions: Record<string, Packed>;
  plots: PanelData[];
  events?: { t: number; text: string }[];
  ghost?: { t: Packed; poses: Packed }; // of the run it is compared with
  compared?: string; // what is compared
  parameters?: ParameterData[]; // inputs of the engine, in the order of p
  shape?: ShapeData; // the drawing at other values of them
  workspace?: WorkspaceData;
  charts?: ChartData[]; // of the study that is shown
  states?: number; // the motion is this many states, one after the other, and no motion in time
  designs?: { name: string; values: Record<string, number> }[]; // to choose from
  v?: Packed; // velocities of the samples
  engine?: EngineData;
  engineReason?: string; // why there is none
}

function bytesOf(record: Packed): ArrayBuffer {
  const text = atob(record.base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

const NONE = 65535; // two bytes that hold no number

export function unpacked(record: Packed): Float32Array | Float64Array {
  if (record.low) {
    const low = unpacked(record.low), step = unpacked(record.step!);
    return Float32Array.from(wholeNumbers(record), (x, i) => (x === NONE ? NaN : low[i % low.length] + x * step[i % low.length]));
  }
  return record.kind === "f4" ? new Float32Array(bytesOf(record)) : new Float64Array(bytesOf(record));
}

export function wholeNumbers(record: Packed): Uint16Array | Uint32Array {
  return record.kind === "u2" ? new Uint16Array(bytesOf(record)) : new Uint32Array(bytesOf(record));
}
