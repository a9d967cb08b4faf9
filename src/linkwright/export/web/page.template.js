@code@
const TEST = @test@;

const robot = await load(Uint8Array.from(atob(TEST.binary), (c) => c.charCodeAt(0)));
const worst = {}, times = {};
let failed = 0;

function compare(name, found, expected) {
  const scale = Math.max(1, ...expected.map(Math.abs));
  const off = expected.map((x, i) => Math.abs(found[i] - x) / scale);
  worst[name] = Math.max(worst[name] ?? 0, ...off.map((x) => (x <= 1 ? x : Infinity)));
}

function time(name, call) {
  times[name] = Infinity;
  for (let batch = 0; batch < 8; ++batch) { // the first ones run before the engine has optimized them
    const start = performance.now();
    for (let k = 0; k < 1000; ++k) call();
    times[name] = Math.min(times[name], (1000 * (performance.now() - start)) / 1000);
  }
}

const parts = (x, n) => Array.from({ length: x.length / n }, (_, i) => x.slice(n * i, n * (i + 1)));
TEST.given.forEach((given, s) => {
  const state = robot.home(), [q, v, a, start] = parts(given, TEST.na);
  failed += robot.forwardKinematics(state, q, v, a) !== Status.OK;
  compare("forwardKinematics", [...state.q, ...state.v, ...state.a], TEST.results.forwardKinematics[s]);
  if (s === 0) time("forwardKinematics", () => robot.forwardKinematics({ ...state }, q, v, a));
  for (const [name, read] of [["inverseKinematics", (x) => robot.pose(x.q)], ["outputKinematics", (x) => robot.outputs(x).q]]) {
    if (!(name in TEST.results)) continue;
    const other = robot.home();
    failed += robot.forwardKinematics(other, start) !== Status.OK;
    const goal = read(state);
    failed += robot[name](other, goal) !== Status.OK;
    compare(name, TEST.held ? robot.actuators(other).q : other.q, TEST.results[name][s]);
    if (s === 0) time(name, () => robot[name](other, goal));
  }
  for (const [name, inputs] of Object.entries(TEST.inputs)) {
    const arrays = inputs.map((x) => (x === "tau" ? TEST.results.inverseDynamics[s] : state[x]));
    const out = robot[name](...arrays);
    compare(name, out, TEST.results[name][s]);
    if (s === 0) time(name, () => robot[name](...arrays, out));
  }
});
if (TEST.far) failed += robot.inverseKinematics(robot.home(), TEST.far[0]) !== Status.OUT_OF_REACH + TEST.far[1];

const passed = !failed && Object.values(worst).every((x) => x <= 1e-9);
document.querySelector("tbody").replaceChildren(...Object.entries(worst).map(([name, error]) => {
  const row = document.createElement("tr");
  row.append(...[name, error.toExponential(1), times[name].toFixed(2)].map((text) =>
    Object.assign(document.createElement("td"), { textContent: text })));
  return row;
}));
document.querySelector("output").textContent = passed ? "passed" : "failed";
document.documentElement.dataset.result = passed ? "passed" : "failed";
