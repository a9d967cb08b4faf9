// Runs the engine of pages: a JSON list of {engine, calls} comes in on stdin, a list of answers goes out.
// A call is [method, ...arguments]; its answer is what the method returns and the state after it.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { bundle, jobs } = JSON.parse(readFileSync(0, "utf8"));
const { openEngine } = await import(pathToFileURL(bundle).href);
const plain = (x) => (x instanceof Float64Array ? [...x] : x);
const SHOWN = ["t", "q", "v", "poses", "actuators", "efforts", "platform", "gap", "energy", "singularities", "condition", "branch", "limits"];

const answers = [];
for (const { data, calls } of jobs) {
  const began = performance.now();
  const engine = await openEngine(data);
  const opened = performance.now() - began;
  if (typeof engine === "string") throw new Error(engine);
  const found = calls.map(([method, ...given]) => {
    const start = performance.now();
    const result = engine[method](...given);
    const spent = performance.now() - start;
    const state = Object.fromEntries(SHOWN.map((name) => [name, plain(engine.state[name])]));
    return { result: Array.isArray(result) ? result.map((x) => ({ ...x, q: plain(x.q) })) : plain(result) ?? null, state, spent };
  });
  answers.push({ opened, calls: found });
}
process.stdout.write(JSON.stringify(answers, (_, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x)));
