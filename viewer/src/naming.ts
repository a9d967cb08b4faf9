// Names in the text below and beside a drawing: pointing at one marks its body or joint, and the other way round.

import type { SceneData } from "./data";
import { element } from "./elements";
import type { Found } from "./solids";

const SHORT = 2; // letters of a name that is also a word; shorter ones are marked only where they stand alone
const IN_PROSE = "P, LI, FIGCAPTION"; // where a name is marked only in quotes or with a digit or sign in it
const WITHOUT = "math, button, select, input, script, style, summary";
const WHOLE = "tr, [data-names]"; // what marks all its names when it is pointed at

export class Names {
  private readonly known = new Map<string, Found[]>();
  private readonly marks = new Map<string, HTMLElement[]>(); // by what they name
  private shown: HTMLElement[] = [];

  constructor(scene: SceneData, private readonly mark: (what: Found[]) => void) {
    const add = (name: string, what: Found): void => void this.known.set(name, [...(this.known.get(name) ?? []), what]);
    scene.bodies.forEach(({ name }, i) => add(name, { layer: "body", owner: i, body: i }));
    if (scene.base) add(scene.base, { layer: "body", owner: -1, body: -1 });
    scene.joints.forEach(({ name, child, parts }, i) => {
      const joint: Found = { layer: "joint", owner: i, body: child };
      for (const each of [name, ...parts.map((part) => `${name}.${part}`)]) add(each, joint);
    });
  }

  /** Find the names in a text of the page, and listen to pointers, fingers and the keyboard there. */
  readText(text: Element): void {
    const longestFirst = [...this.known.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    if (!longestFirst.length) return;
    const found = new RegExp(`(?<![\\w-])(?:${longestFirst.join("|")})(?![\\w-])`, "g");
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), nodes: Text[] = [];
    while (walker.nextNode()) if (!walker.currentNode.parentElement!.closest(WITHOUT)) nodes.push(walker.currentNode as Text);
    for (const node of nodes) this.wrap(node, found);
    for (const line of text.querySelectorAll<HTMLElement>("[data-names]")) {
      for (const name of JSON.parse(line.dataset.names!) as string[]) this.remember(name, line);
    }
    for (const kind of ["pointerover", "focusin", "click"]) text.addEventListener(kind, (event) => this.point(event.target as Element));
    for (const kind of ["pointerleave", "focusout"]) text.addEventListener(kind, () => this.mark([]));
  }

  /** Put the names of a text into elements of their own. */
  private wrap(node: Text, found: RegExp): void {
    const text = node.data, prose = node.parentElement!.closest(IN_PROSE) !== null, pieces: (string | HTMLElement)[] = [];
    let end = 0;
    for (const match of text.matchAll(found)) {
      const name = match[0], at = match.index;
      const quotedThere = /['"\u2018\u201C]$| - $/.test(text.slice(0, at)) || text.startsWith(" - ", at + name.length);
      if (name.length < SHORT && text.trim() !== name) continue;
      if (prose && !quotedThere && /^[A-Za-z]+$/.test(name)) continue;
      const mark = element("span", { class: "named" }, name);
      pieces.push(text.slice(end, at), mark);
      this.remember(name, mark);
      end = at + name.length;
    }
    if (pieces.length) node.replaceWith(...pieces, text.slice(end));
  }

  private remember(name: string, mark: HTMLElement): void {
    for (const what of this.known.get(name) ?? []) this.marks.set(keyOf(what), [...(this.marks.get(keyOf(what)) ?? []), mark]);
  }

  private point(target: Element): void {
    const own = target.closest<HTMLElement>(".named"), all = target.closest(WHOLE);
    const names = own ? [own.textContent!] : all ? [...JSON.parse((all as HTMLElement).dataset.names ?? "[]"), ...[...all.querySelectorAll(".named")].map((each) => each.textContent!)] : [];
    this.mark(names.flatMap((name) => this.known.get(name) ?? []));
  }

  /** Mark the names of what is pointed at in the drawing. */
  show(what: Found | null): void {
    for (const each of this.shown) each.classList.remove("marked");
    this.shown = what ? (this.marks.get(keyOf(what)) ?? []) : [];
    for (const each of this.shown) each.classList.add("marked");
  }
}

function keyOf({ layer, owner }: Found): string {
  return `${layer} ${owner}`;
}
