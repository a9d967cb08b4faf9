// Runs modules of programs: a JSON list of jobs comes in on stdin, a list of answers goes out.
// Numbers travel as base64 of float64, so that not a bit is lost.
import { readFileSync } from "node:fs";

const numbers = (text) => new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer);
const written = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
const size = (shape) => shape.reduce((a, b) => a * b, 1);

const answers = [];
for (const { binary, layout, calls } of JSON.parse(readFileSync(0, "utf8"))) {
  const memory = new WebAssembly.Memory({ initial: layout.pages + 1 });
  const { instance } = await WebAssembly.instantiate(Buffer.from(binary, "base64"), { env: { __linear_memory: memory }, Math });
  const view = ([address, shape]) => new Float64Array(memory.buffer, address, size(shape));
  answers.push(calls.map(({ name, states, at }) => {
    const { inputs, outputs } = layout.programs[name];
    const table = [...Object.entries(inputs).filter(([port]) => port !== "given"), ...Object.entries(outputs)];
    if (inputs.given) table.push(["given", inputs.given]);
    new Int32Array(memory.buffer, layout.end + 64, table.length).set(table.map(([, place]) => place[0]));
    return states.map((state) => {
      for (const [port, text] of Object.entries(state)) view(inputs[port]).set(numbers(text));
      const status = at ? instance.exports[name + ".at"](layout.end + 64) : (instance.exports[name](), null);
      const found = Object.entries(outputs).map(([port, place]) => [port, written(view(place))]);
      return { status, outputs: Object.fromEntries(found) };
    });
  }));
}
process.stdout.write(JSON.stringify(answers));
