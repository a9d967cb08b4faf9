@code@
const PACK = @pack@;
const N = PACK.joints.length, ARROW = { rad: [180 / Math.PI, "deg"], m: [1000, "mm"] };

const robot = await load(Uint8Array.from(atob(PACK.binary), (c) => c.charCodeAt(0)));
const state = robot.home(), say = document.getElementById("status");
const efforts = new Float64Array(N);

function shown(x, unit) {
  const [factor, name] = ARROW[unit] ?? [1, unit];
  return `${(factor * x).toFixed(2)} ${name}`;
}

function slider(box, { name, unit, low, high }, title, move) {
  const label = document.createElement("label"), input = document.createElement("input");
  const text = document.createElement("span"), out = document.createElement("output");
  text.textContent = name;
  Object.assign(input, { type: "range", min: low, max: high, step: (high - low) / 1000 });
  input.setAttribute("aria-label", `${title} ${name}`);
  input.addEventListener("input", () => move(Number(input.value)));
  label.append(text, input, out);
  document.getElementById(box).append(label);
  return { input, out, unit };
}

/** The state at positions of the joints or motors, by steps that stay on its branch; false if it is not reached. */
function go(toJoints, goal) {
  const start = toJoints ? robot.outputs(state).q : robot.actuators(state).q;
  for (let k = 1; k <= 16; ++k) {
    const x = goal.map((end, i) => start[i] + ((end - start[i]) * k) / 16);
    const status = toJoints ? robot.outputKinematics(state, x) : robot.forwardKinematics(state, x);
    if (status !== Status.OK) return false;
  }
  return true;
}

function moved(toJoints, i) {
  return (value) => {
    const goal = [...(toJoints ? robot.outputs(state).q : robot.actuators(state).q)];
    goal[i] = value;
    show(go(toJoints, goal));
  };
}

const joints = PACK.joints.map((each, i) => slider("joints", each, "Joint", moved(true, i)));
const motors = PACK.motors.map((each, i) => slider("motors", each, "Motor", moved(false, i)));
PACK.joints.forEach((each, i) => {
  const unit = each.unit === "m" ? "N" : "N m";
  const { input, out } = slider("efforts", { name: each.name, unit, low: -100, high: 100 }, "Effort at", (value) => {
    efforts[i] = value;
    out.textContent = `${value.toFixed(1)} ${unit}`;
    show(true);
  });
  input.value = 0;
  out.textContent = `0.0 ${unit}`;
});

const times = (A, x) => x.map((_, i) => x.reduce((sum, value, k) => sum + A[i * N + k] * value, 0));
const transposed = (A) => A.map((_, i) => A[(i % N) * N + Math.floor(i / N)]);

/** Largest and smallest singular value, by powers of A^T A and of its inverse B^T B. */
function gains(A, B) {
  const largest = (M) => {
    let x = Array.from({ length: N }, (_, i) => 1 + 0.1 * i), size = 0;
    for (let k = 0; k < 60; ++k) {
      x = times(transposed(M), times(M, x));
      size = Math.hypot(...x);
      x = x.map((value) => value / size);
    }
    return Math.sqrt(size);
  };
  return [largest(A), 1 / largest(B)];
}

function rows(title, names, cells) {
  const table = document.createElement("table"), head = document.createElement("h2");
  head.textContent = title;
  names.forEach((name, i) => {
    const row = table.insertRow(), cell = document.createElement("th");
    cell.textContent = name;
    row.append(cell);
    for (const x of cells[i]) row.insertCell().textContent = x;
  });
  return [head, table];
}

const matrix = (A) => Array.from({ length: N }, (_, i) => [...A.slice(i * N, (i + 1) * N)].map((x) => x.toPrecision(4)));

function show(reached) {
  const x = robot.outputs(state).q, y = robot.actuators(state).q;
  joints.forEach(({ input, out, unit }, i) => { input.value = x[i]; out.textContent = shown(x[i], unit); });
  motors.forEach(({ input, out, unit }, i) => { input.value = y[i]; out.textContent = shown(y[i], unit); });
  const K = robot.inputJacobian(state.q), J = robot.outputJacobian(state.q), [most, least] = gains(K, J);
  const names = (side) => side.map(({ name }) => name), tau = times(transposed(J), [...efforts]);
  document.getElementById("numbers").replaceChildren(
    ...rows("Efforts of the motors", names(PACK.motors), tau.map((value) => [value.toPrecision(4)])),
    ...rows("Motor rates per joint rate", names(PACK.motors), matrix(K)),
    ...rows("Gain", ["largest", "smallest", "ratio"], [[most.toPrecision(4)], [least.toPrecision(4)], [(most / least).toPrecision(4)]]),
    ...rows("Inertia at the joints", names(PACK.joints), matrix(robot.outputMassMatrix(state.q))),
    ...rows("Inertia at the motors", names(PACK.motors), matrix(robot.massMatrix(state.q))),
  );
  say.textContent = reached ? "" : "This position is not reached; the last one is shown.";
  document.getElementById("point")?.setAttribute("cx", x[0]);
  document.getElementById("point")?.setAttribute("cy", -x[1]);
}

function draw() {
  const [a, b] = PACK.joints, line = (points) => `M${points.map(([u, v]) => `${u} ${-v}`).join("L")}Z`;
  const shape = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const box = [[a.low, b.low], [a.high, b.low], [a.high, b.high], [a.low, b.high]];
  const all = [...box, ...(PACK.limits ?? [])], least = (k) => Math.min(...all.map((p) => p[k]));
  const most = (k) => Math.max(...all.map((p) => p[k])), width = most(0) - least(0), height = most(1) - least(1);
  const svg = document.querySelector("#map svg"), pad = 0.05 * Math.max(width, height);
  svg.setAttribute("viewBox", [least(0) - pad, -most(1) - pad, width + 2 * pad, height + 2 * pad].join(" "));
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${a.name} to the right, ${b.name} up; dashed: limits of the motors`);
  svg.append(shape("path", { d: line(box) }));
  if (PACK.limits?.length) svg.append(shape("path", { d: line(PACK.limits), class: "limits" }));
  svg.append(shape("circle", { id: "point", r: pad / 2.5 }));
  const follow = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    show(go(true, [Math.min(Math.max(at.x, a.low), a.high), Math.min(Math.max(-at.y, b.low), b.high)]));
  };
  svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); follow(event); });
  svg.addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });
  document.getElementById("map").hidden = false;
}

if (N === 2) draw();
show(true);
globalThis.transmission = { robot, state, go, show };
document.documentElement.dataset.result = "ready";
