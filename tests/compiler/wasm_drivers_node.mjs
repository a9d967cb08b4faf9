// Runs drivers on the image of a record: one job comes in on stdin, results and an array of the record go out.
import { readFileSync } from "node:fs";

const job = JSON.parse(readFileSync(0, "utf8"));
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));

const memory = new WebAssembly.Memory({ initial: 4 });
const table = new WebAssembly.Table({ element: "anyfunc", initial: job.table.length + 1 });
const env = {
  __linear_memory: memory,
  __indirect_function_table: table,
  __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, job.stack),
  lw_exp: Math.exp,
  lw_log: Math.log,
};
const programs = await WebAssembly.instantiate(bytes(job.binary), { env, Math });
const drivers = await WebAssembly.instantiate(bytes(job.drivers), { env });
job.table.forEach((name, i) => table.set(i + 1, programs.instance.exports[name]));
const image = bytes(job.image);
new Uint8Array(memory.buffer, job.base, image.length).set(image);
const results = job.calls.map((name) => Number(drivers.instance.exports[name](job.base)));
const out = new Float64Array(memory.buffer, ...job.out);
process.stdout.write(JSON.stringify({ results, out: Buffer.from(out.slice().buffer).toString("base64") }));
