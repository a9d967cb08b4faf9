// Undo, redo and named poses.

import { button, element } from "./elements";

/** What brings a mechanism back to where it was. */
export interface Spot {
  q: number[];
  parameters: number[];
}

const MOST = 200;

export class History {
  private readonly past: Spot[] = [];
  private future: Spot[] = [];
  readonly undo = button("\u21B6", "Undo (Ctrl+Z)", () => this.back());
  readonly redo = button("\u21B7", "Redo (Ctrl+Y)", () => this.on());

  constructor(private readonly go: (spot: Spot) => void) {
    this.undo.id = "undo";
    this.redo.id = "redo";
    window.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement && event.target.type !== "range") return;
      const key = event.key.toLowerCase();
      if (key === "y" || (key === "z" && event.shiftKey)) this.on();
      else if (key === "z") this.back();
      else return;
      event.preventDefault();
    });
    this.show();
  }

  /** Remember where the mechanism has come to rest. */
  keep(spot: Spot): void {
    const last = this.past.at(-1);
    if (last && same(last, spot)) return;
    this.past.push(spot);
    if (this.past.length > MOST) this.past.shift();
    if (this.future.length && !same(this.future.at(-1)!, spot)) this.future = [];
    else this.future.pop();
    this.show();
  }

  private back(): void {
    if (this.past.length < 2) return;
    this.future.push(this.past.pop()!);
    this.go(this.past.at(-1)!);
    this.show();
  }

  private on(): void {
    const spot = this.future.pop();
    if (!spot) return;
    this.past.push(spot);
    this.go(spot);
    this.show();
  }

  private show(): void {
    this.undo.disabled = this.past.length < 2;
    this.redo.disabled = this.future.length === 0;
  }
}

function same(a: Spot, b: Spot): boolean {
  const close = (x: number[], y: number[]) => x.length === y.length && x.every((v, i) => Math.abs(v - y[i]) < 1e-9);
  return close(a.q, b.q) && close(a.parameters, b.parameters);
}

/** Poses with names, kept in this browser for mechanisms of this name. */
export class Poses {
  readonly box = element("div", { class: "poses", role: "group", "aria-label": "Named poses" });
  private readonly list = element("span", { class: "tools" });
  private readonly name = element("input", { type: "text", id: "pose-name", placeholder: "name of this pose", "aria-label": "Name of this pose" });
  private readonly kept: Record<string, Spot> = {};

  constructor(private readonly key: string, private readonly now: () => Spot, private readonly go: (spot: Spot) => void) {
    try {
      Object.assign(this.kept, JSON.parse(localStorage.getItem(key) ?? "{}"));
    } catch {
      // a page without storage keeps poses until it is closed
    }
    const save = button("Save pose", "Keep the present pose under this name", () => this.save());
    save.id = "pose-save";
    this.name.addEventListener("keydown", (event) => event.key === "Enter" && this.save());
    this.box.append(this.name, save, this.list);
    this.show();
  }

  private save(): void {
    this.kept[this.name.value.trim() || `pose ${Object.keys(this.kept).length + 1}`] = this.now();
    this.name.value = "";
    this.store();
  }

  private store(): void {
    try {
      localStorage.setItem(this.key, JSON.stringify(this.kept));
    } catch {
      // see above
    }
    this.show();
  }

  private show(): void {
    this.list.replaceChildren(
      ...Object.entries(this.kept).map(([name, spot]) => {
        const away = button("\u00D7", `Forget the pose ${name}`, () => {
          delete this.kept[name];
          this.store();
        });
        return element("span", { class: "pose" }, button(name, `Go to the pose ${name}`, () => this.go(spot)), away);
      }),
    );
  }
}
