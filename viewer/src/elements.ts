// Small pieces of the page, made with text nodes only: names come from files and are never read as markup.

import type { LineSegments, Mesh } from "three";

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function button(label: string, title: string, press: () => void): HTMLButtonElement {
  // what is read aloud holds what is seen
  const seen = /\w/.test(label) && !title.toLowerCase().includes(label.toLowerCase());
  const made = element("button", { type: "button", title, "aria-label": seen ? `${label}: ${title}` : title }, label);
  made.addEventListener("click", press);
  return made;
}

/** A name that may be broken between its words. */
export function breakable(name: string): string {
  return name.replace(/([_.-])(?=\w)/g, "$1\u200B");
}

/** Set the text of an element, where it is another one. */
export function write(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

export function number(x: number | null | undefined, digits = 5): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return "not a number";
  if (Math.abs(x) < 1e-14) return "0"; // rounding
  if (Math.abs(x) < 1e-4 || Math.abs(x) >= 1e6) return x.toExponential(digits - 1);
  return String(Number(x.toPrecision(digits)));
}

const UNITS: Record<string, string> = { angle: "rad", first: "rad", second: "rad", length: "m", x: "m", y: "m", z: "m" };

export function unitOf(part: string): string {
  return UNITS[part] ?? "";
}

/** Take a drawn object out of the scene and give its memory back. */
export function removed(object: Mesh | LineSegments): void {
  object.removeFromParent();
  object.geometry.dispose();
  for (const material of [object.material].flat()) material.dispose();
}
