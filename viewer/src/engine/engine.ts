// The mechanism of the page, computed here: programs and drivers of the library as WebAssembly (see page_engine.py).

import { RunningEngine } from "./running";
import { EngineData, openRuntime } from "./runtime";

export type { EngineData } from "./runtime";
export { openSceneShape } from "./scene_shape";
export { unpackModule } from "./unpacking";

/** Everything that the page shows. */
export interface EngineState {
  t: number;
  q: Float64Array;
  v: Float64Array;
  poses: Float64Array; // of all bodies: x y z qw qx qy qz
  actuators: Float64Array;
  efforts: Float64Array; // NaN where they do not follow from the motion
  platform: Float64Array | null; // x y z qw qx qy qz
  singularities: Record<string, number>; // normalized distances by kind
  condition: number;
  gap: number;
  energy: number[]; // kinetic, potential [J]
  branch: string;
  limits: string[];
}

export interface Outcome {
  reached: boolean;
  boundary: boolean; // nothing comes nearer on this branch
  message: string;
}

export type Motion = { amplitude: number; frequency: number; offset: number } | { t: number[]; x: number[] };

export interface RunOptions {
  gravity: boolean;
  stops: boolean;
  motors: "free" | "locked" | "driven";
}

/** What an actuator reaches from the state while the others stay; `whole` where it turns all the way round. */
export interface Reach {
  low: number;
  high: number;
  whole: boolean;
}

export interface Engine {
  readonly state: EngineState;
  readonly parameters: Float64Array;
  setState(q: ArrayLike<number>, v?: ArrayLike<number>): Outcome;
  setParameters(p: ArrayLike<number>): Outcome;
  /** A point of a body to a point of the world; along the line of sight it may stay away. */
  pullBody(body: number, point: number[], target: number[], sight?: number[]): Outcome;
  pullPlatform(pose: number[], turning: boolean): Outcome;
  drive(actuator: number, value: number): Outcome;
  reach(actuator: number): Reach;
  /** Velocities of all coordinates at the rate one of one actuator, the others at rest. */
  ratesOf(actuator: number): Float64Array | null;
  /** Angular velocity, then velocity of the origin, of every body in the world, at velocities of the coordinates. */
  bodyRates(v: Float64Array): Float64Array;
  /** Moment and force of parent on child at every joint of `reactions`, there, in the child's axes. */
  reactions(): Float64Array | null;
  posesAt(q: ArrayLike<number>): Float64Array; // as in the state, which stays as it is
  assemblyModes(): { q: Float64Array; current: boolean }[];
  start(options: RunOptions): void;
  push(body: number, point: number[], force: number[]): void;
  motion(actuator: number, law: null | Motion): void;
  advance(dt: number): Outcome;
}

/** The engine of a page; a sentence where there is none. */
export async function openEngine(data: EngineData): Promise<Engine | string> {
  if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function")
    return "This browser cannot compute the mechanism: it has no WebAssembly.";
  try {
    return new RunningEngine(data, await openRuntime(data));
  } catch (error) {
    console.info(error);
    return "This viewer does not let the page compute (WebAssembly is switched off), so it is an animation here; a browser opens it to play with.";
  }
}
