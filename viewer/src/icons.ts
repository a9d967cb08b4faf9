// Signs drawn as SVG, because not every font has them.

import { svg } from "./saving";

const PATHS = {
  play: "M5 3v14l12-7z",
  pause: "M5 3h4v14h-4zM11 3h4v14h-4z",
  step: "M4 3v14l9-7zM14 3h3v14h-3z",
  back: "M10 3a7 7 0 1 1-6.700 5h2.100a5 5 0 1 0 4.600-3v3l-5-4 5-4z",
  film: "M2 3h16v14h-16zM4 5v2h2v-2zM4 9v2h2v-2zM4 13v2h2v-2zM14 5v2h2v-2zM14 9v2h2v-2zM14 13v2h2v-2zM8 5v10h4v-10z",
  theme: "M10 2a8 8 0 1 0 0 16zM10 2a8 8 0 0 1 0 16v-1.5a6.5 6.5 0 0 0 0-13z",
  dot: "M10 4a6 6 0 1 0 .01 0z",
  square: "M4 4h12v12h-12z",
  up: "M10 2l5 7h-3.5v9h-3v-9h-3.5z",
  down: "M10 18l5-7h-3.5v-9h-3v9h-3.5z",
  ring: "M10 3a7 7 0 1 1-7 7h2.2a4.8 4.8 0 1 0 4.8-4.8v2.6l-4.6-3.7 4.6-3.7z",
  path: "M2 14c4-14 8 8 16-8l1.6 1c-7 16-12-6-15.800 8z",
  coil: "M1 9h3l2-5h1.500l2 9 2-9h1.500l2 9 1-4h3v2h-2l-1.500 5h-1.500l-2-9-2 9h-1.500l-2-9-1 3h-4z",
  dashes: "M2 9h4v2h-4zM8 9h4v2h-4zM14 9h4v2h-4z",
};

export type Icon = keyof typeof PATHS;

export function icon(name: Icon): SVGSVGElement {
  const made = svg("svg", { viewBox: "0 0 20 20", width: 16, height: 16, "aria-hidden": "true", class: "icon" });
  made.append(svg("path", { d: PATHS[name], fill: "currentColor", "fill-rule": "evenodd" }));
  return made;
}
