// The drawing at other parameters: a program of them gives the numbers of the scene that follow from them.

import type { SceneData } from "../data";
import { unpack } from "./runtime";

/** What `scene_program.py` writes. */
export interface ShapeData {
  binary: string; // deflated, as a text, as is the last one
  pages: number;
  p: number; // addresses of the parameters and of the numbers
  out: number;
  indices: string; // which numbers of the scene they are, in the order of its JSON
}

type Holder = Record<string, unknown>;

/** Every number of a scene as its owner and its key there; surfaces of meshes are left out. */
function numbersOf(x: unknown, found: [Holder, string][] = []): [Holder, string][] {
  for (const [key, value] of Object.entries(x as Holder)) {
    if (typeof value === "number") found.push([x as Holder, key]);
    else if (typeof value === "object" && value !== null && key !== "meshes") numbersOf(value, found);
  }
  return found;
}

export class SceneShape {
  private readonly scene: SceneData;
  private readonly changing: [Holder, string][];

  constructor(
    scene: SceneData,
    indices: Uint32Array,
    private readonly run: () => void,
    private readonly p: Float64Array,
    private readonly out: Float64Array,
  ) {
    this.scene = { ...structuredClone({ ...scene, meshes: [] }), meshes: scene.meshes };
    const all = numbersOf(this.scene);
    this.changing = Array.from(indices, (i) => all[i]);
  }

  /** The scene at parameters; the next call changes what this one returned. */
  at(parameters: ArrayLike<number>): SceneData {
    this.p.set(parameters);
    this.run();
    this.changing.forEach(([owner, key], i) => (owner[key] = this.out[i]));
    return this.scene;
  }
}

/** The drawing of a page, ready for other parameters. */
export async function openSceneShape(data: ShapeData, scene: SceneData): Promise<SceneShape> {
  const [binary, indices] = await Promise.all([unpack(data.binary), unpack(data.indices)]);
  const memory = new WebAssembly.Memory({ initial: data.pages });
  const imports = { env: { __linear_memory: memory }, Math: Math as unknown as WebAssembly.ModuleImports };
  const { instance } = await WebAssembly.instantiate(binary, imports);
  const [p, out] = [data.p, data.out].map((address) => new Float64Array(memory.buffer, address));
  return new SceneShape(scene, new Uint32Array(indices.buffer), instance.exports.shape as () => void, p, out);
}
