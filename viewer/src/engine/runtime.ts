// Modules and records in one memory: programs of the mechanism, drivers of the library, the record of a run.

import { unpackModule } from "./unpacking";

/** Address and shape of the numbers of a port. */
type Place = [number, number[]];

interface Ports {
  inputs: Record<string, Place>;
  outputs: Record<string, Place>;
}

/** What `page_engine.py` writes. */
export interface EngineData {
  format: number;
  binary: string; // packed, deflated, as a text
  drivers: string;
  image: string; // the record of a run, deflated
  stack: number; // where the drivers' stack begins; it grows downwards
  base: number; // address of the record
  size: number; // bytes of the record and its arrays
  drag: { base: number; image: string }; // the record of pulls
  measure: { base: number; image: string; type1: boolean; type2: boolean }; // the record of singularity measures
  equations: string | null; // the program of the loops' Jacobian
  branch: [number[], number[]][]; // rows and columns of its determinants: of the legs, then of all
  limits: [number, string][]; // sign and message of every limit of positions
  starts: ([number, number] | null)[]; // range of every coordinate; null for parts of quaternions
  parameters: number[]; // values of the inputs in the file
  stops: number[]; // stiffness and damping of end stops, which are inputs behind the parameters
  parameter_address: number;
  table: string[]; // programs that drivers call, from entry 1 on
  programs: Record<string, Ports>;
  record: Record<string, number>; // addresses by path
  sizes: { q: number; v: number; actuators: number; bodies: number };
  home: number[];
  actuators: {
    names: string[];
    coordinates: (number | null)[]; // indices in q; null at joints that close loops
    speeds: (number | null)[]; // and in v
    units: number[]; // what a unit of a position counts
    repeats: boolean[]; // positions that are known up to whole turns
    lengths: boolean[]; // positions that are lengths
  };
  bodies: { mass: number; center: number[] }[];
  gravity: number[];
  length: number; // of the mechanism [m]
  has_loops: boolean;
  mobility: number;
  reactions: string[]; // joints, in the order of the wrenches in them
  platform: number; // the body that carries it, -1 where there is none
}

const PAGE = 65536;

// (module (import "e" "f" (func (param i32) (result i32))) (export "f" (func 0))): a function of ours for the table.
const SHIM = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 2, 7, 1, 1, 101, 1, 102, 0, 0, 7, 5, 1, 1, 102, 0, 0,
]);

/** A program with views of its numbers; its inputs are shared with those of equal name and size. */
export interface PageProgram {
  run: () => void;
  inputs: Record<string, Float64Array>;
  outputs: Record<string, Float64Array>;
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~";

/** Bytes of a text with five letters, digits to the base 85, for four bytes each (`deflate_bytes` in Python). */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const digit = new Uint8Array(128), groups = Math.ceil(text.length / 5), bytes = new DataView(new ArrayBuffer(4 * groups));
  for (let i = 0; i < DIGITS.length; i++) digit[DIGITS.charCodeAt(i)] = i;
  for (let k = 0; k < groups; k++) {
    let value = 0;
    for (let i = 5 * k; i < 5 * k + 5; i++) value = 85 * value + (i < text.length ? digit[text.charCodeAt(i)] : 84);
    bytes.setUint32(4 * k, value);
  }
  return new Uint8Array(bytes.buffer, 0, Math.floor((4 * text.length) / 5));
}

/** Bytes that were deflated and written as a text. */
export async function unpack(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Runtime {
  private readonly programs: Record<string, PageProgram> = {};
  private callbacks: number;

  constructor(
    private readonly data: EngineData,
    readonly memory: WebAssembly.Memory,
    private readonly table: WebAssembly.Table,
    private readonly functions: WebAssembly.Exports,
    private readonly drivers: WebAssembly.Exports,
  ) {
    this.callbacks = data.table.length + 1;
    for (const [name, ports] of Object.entries(data.programs)) {
      this.programs[name] = {
        run: functions[name] as () => void,
        inputs: this.views(ports.inputs),
        outputs: this.views(ports.outputs),
      };
    }
  }

  private views(places: Record<string, Place>): Record<string, Float64Array> {
    const found: Record<string, Float64Array> = {};
    for (const [name, [address, shape]] of Object.entries(places))
      found[name] = this.numbers(address, shape.reduce((a, b) => a * b, 1));
    return found;
  }

  /** Numbers at an address. */
  numbers(address: number, n: number): Float64Array {
    return new Float64Array(this.memory.buffer, address, n);
  }

  /** Addresses in a table that a driver hands to a function. */
  addresses(table: number, n: number): Int32Array {
    return new Int32Array(this.memory.buffer, table, n);
  }

  has(name: string): boolean {
    return name in this.programs;
  }

  program(name: string): PageProgram {
    return this.programs[name];
  }

  /** Numbers of a field of the record. */
  field(path: string, n = 1): Float64Array {
    return this.numbers(this.data.record[path], n);
  }

  /** Whole numbers of a field. */
  whole(path: string, n = 1): BigInt64Array {
    return new BigInt64Array(this.memory.buffer, this.data.record[path], n);
  }

  /** Run a driver on a record. */
  drive(name: string, base = this.data.base): number {
    return Number((this.drivers[name] as (base: number) => bigint)(base));
  }

  /** Run a driver on a record, with whole numbers behind it. */
  call(name: string, base: number, ...more: bigint[]): void {
    (this.drivers[name] as (base: number, ...more: bigint[]) => unknown)(base, ...more);
  }

  /** Put a function of ours into the table, and return its entry. */
  tableEntry(f: (table: number) => number): bigint {
    const shim = new WebAssembly.Instance(new WebAssembly.Module(SHIM), { e: { f } });
    this.table.set(this.callbacks, shim.exports.f);
    return BigInt(this.callbacks++);
  }

  /** Compute again what programs are given from the parameters. */
  giveParameters(): void {
    for (const [name, f] of Object.entries(this.functions)) if (name.endsWith(".given")) (f as () => void)();
  }
}

const CALLBACKS = 2; // efforts and wrenches

/** Compile and instantiate the modules, and put the record into memory; it never grows afterwards. */
export async function openRuntime(data: EngineData): Promise<Runtime> {
  const texts = [data.binary, data.drivers, data.image, data.drag.image, data.measure.image];
  const [binary, drivers, image, drag, measure] = await Promise.all(texts.map(unpack));
  const memory = new WebAssembly.Memory({ initial: Math.ceil((data.base + data.size) / PAGE) + 1 });
  const table = new WebAssembly.Table({ element: "anyfunc", initial: data.table.length + 1 + CALLBACKS });
  const env = {
    __linear_memory: memory,
    __indirect_function_table: table,
    __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, data.stack),
    lw_exp: Math.exp,
    lw_log: Math.log,
  };
  const imports = { env, Math: Math as unknown as WebAssembly.ModuleImports };
  const [programs, driver] = await Promise.all([
    WebAssembly.instantiate(unpackModule(binary), imports),
    WebAssembly.instantiate(unpackModule(drivers), imports),
  ]);
  const functions = programs.instance.exports;
  data.table.forEach((name, i) => table.set(i + 1, functions[`${name}.at`]));
  new Uint8Array(memory.buffer, data.base, data.size).set(image);
  new Uint8Array(memory.buffer, data.drag.base, drag.length).set(drag);
  new Uint8Array(memory.buffer, data.measure.base, measure.length).set(measure);
  return new Runtime(data, memory, table, functions, driver.instance.exports);
}
