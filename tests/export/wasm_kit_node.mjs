// Calls functions of kits: jobs come in on stdin as {path, p, calls: [[name, ...arguments]]}, results go out.
// Arguments "state", "q", "v", "a" are those of the robot's state; kinematics answer with the status and the state.
import { readFileSync } from "node:fs";

const results = [];
for (const job of JSON.parse(readFileSync(0, "utf8"))) {
  const kit = await import(job.path);
  const robot = await kit.load();
  if (job.p) robot.p.set(job.p);
  Object.assign(robot, job.settings);
  const state = robot.home(), answers = [];
  for (const [name, ...given] of job.calls) {
    const named = { state, q: state.q, v: state.v, a: state.a };
    const found = robot[name](...given.map((x) => (typeof x === "string" ? named[x] : x)));
    if (typeof found === "number") answers.push({ status: found, q: [...state.q], v: [...state.v], a: [...state.a] });
    else if ("q" in found) answers.push({ q: [...found.q], v: [...found.v], a: [...found.a] });
    else answers.push([...found].map((x) => (Number.isFinite(x) ? x : null)));
  }
  const { Q, V, ACTUATOR, JOINT, BODY, P, OUTPUT, LEG, OUTPUT_LEG } = kit;
  results.push({ answers, names: { Q, V, ACTUATOR, JOINT, BODY, P, OUTPUT, LEG, OUTPUT_LEG }, about: kit.ABOUT });
}
process.stdout.write(JSON.stringify(results));
