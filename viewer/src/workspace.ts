// The workspace of a mechanism as a layer: its boundary, the part where an index is good enough, and slices.

import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial } from "three";
import { Packed, WorkspaceData, unpacked, wholeNumbers } from "./data";
import { element, number, removed } from "./elements";
import { surfaceOf } from "./marching";

const COLORS = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"].map((c) => new Color(c)); // viridis
const PLAIN = new Color("#4477aa");
const MISSING = 65535;
const STEPS = 100; // of the slider of an index
const NEAR = 1e-4; // of a step of the grid: points this near a plane of it lie in it

interface Corner {
  index: number[];
  n: number;
}

export class Workspace {
  readonly group = new Group();
  readonly panel = element("div", { class: "workspace", role: "group", "aria-label": "Workspace" });
  private readonly inside: Uint16Array | Uint32Array;
  private readonly values: Float32Array[];
  private drawn: (Mesh | LineSegments)[] = [];
  private known: Map<string, number> | null = null;
  private index = -1; // among the indices; -1 is none
  private readonly chosen = element("select", { id: "workspace-index", "aria-label": "Index that colors the workspace" });
  private readonly sense = element("select", { id: "workspace-sense", "aria-label": "Part of the workspace that is shown" });
  private readonly level = element("input", { type: "range", id: "workspace-level", min: "0", max: String(STEPS), step: "1", "data-live": "true", "aria-label": "Bound of the index" });
  private readonly bound = element("output");
  private readonly axis = element("select", { id: "workspace-axis", "aria-label": "Slice" });
  private readonly position = element("input", { type: "range", id: "workspace-slice", min: "0", step: "1", "data-live": "true", "aria-label": "Position of the slice" });
  private readonly where = element("output");
  private readonly scale = element("div", { class: "color-scale" });

  constructor(private readonly data: WorkspaceData, private readonly changed: () => void) {
    this.inside = wholeNumbers(data.inside);
    this.values = data.indices.map((each) => levels(each.values, each.low, each.high));
    this.index = data.indices.length ? 0 : -1;
    this.chosen.append(...data.indices.map((each, i) => element("option", { value: String(i) }, each.unit ? `${each.name} [${each.unit}]` : each.name)));
    this.sense.append(element("option", { value: "least" }, "at least"), element("option", { value: "most" }, "at most"));
    this.axis.append(element("option", { value: "-1" }, "no slice"), ...data.names.map((name, i) => element("option", { value: String(i) }, `slice across ${name}`)));
    if (this.flat) this.axis.hidden = true;
    const rows = [element("b", {}, data.title)];
    if (this.index >= 0) rows.push(row(this.chosen), row(this.sense, this.level, this.bound), row(this.scale));
    if (!this.flat) rows.push(row(this.axis, this.position, this.where));
    this.panel.append(...rows);
    this.level.value = "0";
    for (const control of [this.chosen, this.sense, this.level, this.axis, this.position]) control.addEventListener("input", () => this.draw());
    this.draw();
  }

  /** True for a region of a plane. */
  private get flat(): boolean {
    return this.data.shape.filter((n) => n > 1).length < 3;
  }

  private draw(): void {
    for (const each of this.drawn) removed(each);
    this.drawn = [];
    this.index = this.data.indices.length ? Number(this.chosen.value || 0) : -1;
    this.read();
    if (this.flat) this.add(this.slice(this.data.shape.findIndex((n) => n === 1), 0));
    else {
      const across = Number(this.axis.value);
      this.add(this.untouched && this.data.surface ? this.boundary() : this.part(), across >= 0 ? 0.18 : 0.45);
      if (across >= 0) this.add(this.slice(across, this.sliceAt(across)));
    }
    if (this.data.outline) this.line();
    this.changed();
  }

  /** True while the slider leaves nothing out. */
  private get untouched(): boolean {
    return this.index < 0 || this.level.value === (this.sense.value === "least" ? "0" : String(STEPS));
  }

  private sliceAt(axis: number): number {
    this.position.max = String(this.data.shape[axis] - 1);
    const k = Math.min(Number(this.position.value), this.data.shape[axis] - 1);
    this.where.textContent = `${this.data.names[axis]} = ${number(this.data.low[axis] + k * this.data.step[axis], 3)} m`;
    return k;
  }

  private get limit(): number {
    const { low, high } = this.data.indices[this.index];
    return low + (Number(this.level.value) / STEPS) * (high - low);
  }

  private read(): void {
    this.position.hidden = this.where.hidden = Number(this.axis.value) < 0;
    if (this.index < 0) return;
    const { low, high, unit } = this.data.indices[this.index];
    this.bound.textContent = `${number(this.limit, 3)} ${unit}`;
    this.scale.replaceChildren(element("span", {}, number(low, 3)), element("span", { class: "colors" }), element("span", {}, `\u2265 ${number(high, 3)}`));
  }

  private number(i: number, j: number, k: number): number {
    return (i * this.data.shape[1] + j) * this.data.shape[2] + k;
  }

  /** Positive where a pose is inside and its index is good enough, about as far as it is. */
  private margin(n: number): number {
    if (!this.inside[n]) return -0.5;
    if (this.index < 0 || this.untouched) return 0.5;
    const { low, high } = this.data.indices[this.index];
    const x = (this.values[this.index][n] - this.limit) / Math.max(high - low, 1e-300);
    return Number.isFinite(x) ? (this.sense.value === "least" ? x : -x) || 1e-12 : -0.5;
  }

  private colorAt(n: number): Color {
    return this.index < 0 ? PLAIN : this.colored(this.values[this.index][n]);
  }

  private colored(x: number): Color {
    if (this.index < 0 || !Number.isFinite(x)) return PLAIN;
    const { low, high } = this.data.indices[this.index];
    const share = Math.min(Math.max((x - low) / Math.max(high - low, 1e-300), 0), 1) * (COLORS.length - 1);
    const i = Math.min(Math.floor(share), COLORS.length - 2);
    return COLORS[i].clone().lerp(COLORS[i + 1], share - i);
  }

  private boundary(): BufferGeometry {
    const { points, faces, values } = this.data.surface!;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(unpacked(points) as Float32Array, 3));
    geometry.setIndex(new BufferAttribute(wholeNumbers(faces), 1));
    const own = this.index < 0 ? null : unpacked(values[this.index]);
    const count = points.shape[0];
    const colors = Array.from({ length: count }, (_, i) => (own ? this.colored(own[i]) : PLAIN).toArray()).flat();
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colors), 3));
    geometry.computeVertexNormals();
    return geometry;
  }

  /** The surface round the poses that are good enough, from the grid. */
  private part(): BufferGeometry {
    const { shape, low, step } = this.data;
    const flat = surfaceOf({ shape, at: (i, j, k) => this.margin(this.number(i, j, k)) });
    const geometry = new BufferGeometry();
    const colors: number[] = [];
    for (let p = 0; p < flat.length; p += 3) {
      const at = [0, 1, 2].map((axis) => Math.round(flat[p + axis]));
      colors.push(...this.colorAt(this.number(at[0], at[1], at[2])).toArray());
    }
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(flat, (x, i) => low[i % 3] + x * step[i % 3]), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colors), 3));
    geometry.computeVertexNormals();
    return geometry;
  }

  /** The part of a plane of the grid that is good enough: triangles between poses, up to where the boundary crosses. */
  private slice(axis: number, at: number): BufferGeometry {
    const { shape, low, step } = this.data;
    const [u, v] = [0, 1, 2].filter((a) => a !== axis);
    const [positions, colors]: [number[], number[]] = [[], []];
    const pose = (a: number, b: number) => {
      const index = [0, 0, 0];
      [index[axis], index[u], index[v]] = [at, a, b];
      return index;
    };
    const drawn = (index: number[], color: Color) => {
      positions.push(...index.map((x, i) => low[i] + x * step[i]));
      colors.push(...color.toArray());
    };
    for (let a = 0; a < shape[u] - 1; a++)
      for (let b = 0; b < shape[v] - 1; b++)
        for (const third of [pose(a + 1, b), pose(a, b + 1)]) {
          const corners = [pose(a, b), third, pose(a + 1, b + 1)].map((index) => ({ index, n: this.number(index[0], index[1], index[2]) }));
          const good = corners.filter(({ n }) => this.margin(n) > 0);
          const bad = corners.filter(({ n }) => this.margin(n) <= 0);
          const [first, last] = [good[0], good[good.length - 1]];
          if (!good.length) continue;
          for (const { index, n } of good) drawn(index, this.colorAt(n));
          for (const other of bad) drawn(this.crossing(last, other), this.colorAt(last.n));
          if (good.length !== 2) continue;
          drawn(first.index, this.colorAt(first.n));
          drawn(this.crossing(last, bad[0]), this.colorAt(last.n));
          drawn(this.crossing(first, bad[0]), this.colorAt(first.n));
        }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colors), 3));
    return geometry;
  }

  /** Where the way from a pose that is good enough to one that is not leaves the part that is shown, in the grid. */
  private crossing(good: Corner, bad: Corner): number[] {
    const lower = good.index.map((x, i) => Math.min(x, bad.index[i]));
    const across = good.index.map((x, i) => Math.abs(x - bad.index[i]));
    let share = this.inside[bad.n] ? this.margin(good.n) / (this.margin(good.n) - this.margin(bad.n)) : -1;
    if (share >= 0) return good.index.map((x, i) => x + share * (bad.index[i] - x));
    share = this.crossings.get(edge(lower, across)) ?? 0.5;
    return lower.map((x, i) => x + share * across[i]);
  }

  /** Points of the boundary by the edges of the grid that they lie on: shares of their lengths. */
  private get crossings(): Map<string, number> {
    if (this.known) return this.known;
    this.known = new Map();
    const { low, step, surface, outline } = this.data;
    const points = surface ? unpacked(surface.points) : outline ? unpacked(outline) : [];
    for (let p = 0; p < points.length; p += 3) {
      const at = low.map((x, i) => (step[i] ? (points[p + i] - x) / step[i] : 0));
      const across = at.map((x) => Number(Math.abs(x - Math.round(x)) > NEAR));
      const lower = at.map((x, i) => (across[i] ? Math.floor(x) : Math.round(x)));
      this.known.set(edge(lower, across), Math.max(...at.map((x, i) => x - lower[i])));
    }
    return this.known;
  }

  private add(geometry: BufferGeometry, opacity = 0.85): void {
    const looks = { vertexColors: true, transparent: true, opacity, side: DoubleSide, depthWrite: false };
    const lit = geometry.getAttribute("normal") !== undefined;
    const mesh = new Mesh(geometry, lit ? new MeshStandardMaterial({ ...looks, roughness: 0.8 }) : new MeshBasicMaterial(looks));
    mesh.renderOrder = 1;
    this.group.add(mesh);
    this.drawn.push(mesh);
  }

  /** The boundary of a region of a plane. */
  private line(): void {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(unpacked(this.data.outline!) as Float32Array, 3));
    const lines = new LineSegments(geometry, new LineBasicMaterial({ color: "#1f2933" }));
    this.group.add(lines);
    this.drawn.push(lines);
  }
}

function edge(lower: number[], across: number[]): string {
  return [...lower, ...across].join();
}

function row(...parts: HTMLElement[]): HTMLElement {
  return element("div", {}, ...parts);
}

/** Values from whole numbers between two bounds; the largest whole number means none. */
function levels(packed: Packed, low: number, high: number): Float32Array {
  return Float32Array.from(wholeNumbers(packed), (x) => (x === MISSING ? NaN : low + (x / (MISSING - 1)) * (high - low)));
}
