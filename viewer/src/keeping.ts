// What a reader takes along: the state as Python or YAML, recorded motions as a study, named poses.

import type { Actuators } from "./actuators";
import { button, element } from "./elements";
import { Poses } from "./history";
import type { Play } from "./play";
import { offered } from "./saving";

const ROWS = 200; // of a recorded motion in a file
const STIFFNESS = 400; // of the errors, critically damped at 20 rad/s
const DAMPING = 40;

const list = (x: ArrayLike<number>): string => `[${Array.from(x, (v) => String(v)).join(", ")}]`;
const quoted = (text: string): string => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Names of the coordinates, in the order of q. */
export function coordinateNames({ data, engine }: Play): string[] {
  const names: string[] = Array(engine.state.q.length).fill("");
  for (const { name, column, parts } of data.scene.joints) {
    if (column !== null) parts.forEach((part, i) => (names[column + i] = parts.length > 1 ? `${name}.${part}` : name));
  }
  return names;
}

/** Values of the parameters by name, as a mapping of Python and of YAML; empty where the page has none. */
function parameterMapping({ data, engine }: Play): string {
  const all = (data.parameters ?? []).map((of, i) => `${quoted(of.name)}: ${engine.parameters[i]}`);
  return all.length ? `{${all.join(", ")}}` : "";
}

/** Lines of a study that say which mechanism it is about. */
function mechanismLines(play: Play): string[] {
  const values = parameterMapping(play);
  return [`mechanism: ${quoted(play.data.scene.name)}`, ...(values ? [`parameters: ${values}`] : [])];
}

/** Lines of Python that bring the mechanism to the present state. */
export function pythonText(play: Play): string {
  const { scene } = play.data, { q, v } = play.engine.state, values = parameterMapping(play);
  const rows = coordinateNames(play).map((name, i) => `    ${q[i]},  # ${name.replace(/[^\x20-\x7e]/g, "?")}`);
  return [
    "import linkwright as lw",
    "",
    ...(values ? [`parameters = ${values}`] : []),
    `mech = lw.catalog.load(${quoted(scene.name)}${values && ", parameters"})  # or of a file: lw.load("robot.yaml"${values && ", parameters"})`,
    "model = lw.build(mech)",
    "q = [",
    ...rows,
    "]",
    ...(v.some((x) => x !== 0) ? [`v = ${list(v)}`] : []),
    "q = model.assemble(q).q",
    "",
  ].join("\n");
}

/** A study that begins at the present state. */
export function yamlText(play: Play): string {
  const { q, v } = play.engine.state;
  const start = [`  q: ${list(q)}`, ...(v.some((x) => x !== 0) ? [`  v: ${list(v)}`] : [])];
  return ["format: 1", ...mechanismLines(play), "start:", ...start, "t_end: 2.0", ""].join("\n");
}

/** A study that follows a recorded motion of the actuators. */
export function studyText(play: Play, rows: { t: number[]; q: number[][]; x: number[][] }): string {
  const every = Math.max(1, Math.ceil(rows.t.length / ROWS));
  const kept = rows.t.map((_, i) => i).filter((i) => i % every === 0 || i === rows.t.length - 1);
  const all = (value: number) => list(rows.x[0].map(() => value));
  return [
    "format: 1",
    ...mechanismLines(play),
    "start:",
    `  q: ${list(rows.q[0])}`,
    "effort:",
    "  law: computed-torque",
    "  reference:",
    "    move: spline",
    `    times: ${list(kept.map((i) => rows.t[i]))}`,
    "    points:",
    ...kept.map((i) => `      - ${list(rows.x[i])}`),
    `  stiffness: ${all(STIFFNESS)}`,
    `  damping: ${all(DAMPING)}`,
    `t_end: ${rows.t.at(-1)}`,
    "",
  ].join("\n");
}

/** Buttons and fields that keep something. */
export function keepingPanel(play: Play, actuators: Actuators | null): HTMLElement {
  const copying = element("div", { class: "tools" }, copyButton(play, "Copy Python", pythonText), copyButton(play, "Copy YAML", yamlText));
  const poses = new Poses(`linkwright-poses ${play.data.scene.name}`, () => play.spot, (spot) => play.goTo(spot));
  return element("div", { class: "keeping" }, copying, ...(actuators ? [new Recorder(play, actuators).box] : []), poses.box);
}

function copyButton(play: Play, label: string, text: (play: Play) => string): HTMLButtonElement {
  const made = button(label, `${label.replace("Copy", "Copy the present state as")}`, () => {
    void copied(text(play)).then((done) => play.say(done ? "Copied." : "This browser does not let the page copy; the text was saved as a file.", false));
  });
  made.id = label.toLowerCase().replace(" ", "-");
  return made;
}

/** Put a text on the clipboard; true when that worked, else it is offered as a file. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) offered("state.txt", new Blob([text], { type: "text/plain" }));
    return done;
  }
}

/** Records the actuators while the reader moves the mechanism. */
class Recorder {
  readonly box = element("div", { class: "tools" });
  private readonly rows = { t: [] as number[], q: [] as number[][], x: [] as number[][] };
  private readonly record: HTMLButtonElement;
  private readonly save: HTMLButtonElement;
  private readonly replay: HTMLButtonElement;
  private since = 0;
  private replaying = false;

  constructor(private readonly play: Play, private readonly actuators: Actuators) {
    this.record = button("Record", "Record the motion, or stop recording", () => this.toggle());
    this.save = button("Save study", "Save the recorded motion as a study file", () => offered("study.yaml", new Blob([studyText(play, this.rows)], { type: "application/yaml" })));
    this.replay = button("Drive with it", "Drive the actuators with the recorded motion, or with sines again", () => this.drive());
    [this.record.id, this.save.id, this.replay.id] = ["record", "study", "replay"];
    this.box.append(this.record, this.save, this.replay);
    play.acts.push(() => this.keep());
    this.show();
  }

  private show(): void {
    this.record.textContent = this.since ? "Stop recording" : "Record";
    for (const each of [this.save, this.replay]) each.disabled = this.since > 0 || this.rows.t.length < 3;
    this.replay.textContent = this.replaying ? "Drive with sines" : "Drive with it";
  }

  private toggle(): void {
    if (this.since) this.since = 0;
    else {
      for (const rows of Object.values(this.rows)) rows.length = 0;
      this.since = performance.now();
      this.play.take();
      this.keep();
    }
    this.show();
  }

  private keep(): void {
    if (!this.since) return;
    const t = (performance.now() - this.since) / 1000, { state } = this.play.engine;
    if (this.rows.t.length && t - this.rows.t.at(-1)! < 0.005) return;
    this.rows.t.push(this.rows.t.length ? t : 0);
    this.rows.q.push(Array.from(state.q));
    this.rows.x.push(Array.from(state.actuators));
  }

  private drive(): void {
    const { play } = this;
    this.replaying = !this.replaying;
    if (this.replaying) {
      play.goTo({ ...play.spot, q: this.rows.q[0] });
      document.getElementById("motors-driven")?.click();
    }
    this.actuators.replay(this.replaying ? { t: [...this.rows.t], x: this.rows.x.map((row) => [...row]) } : null);
    this.show();
  }
}
