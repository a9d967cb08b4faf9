// Files that the page makes for its reader.

import { Curve } from "./curves";
import { element } from "./elements";

/** Offer a content as a file. */
export function offered(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name.replace(/[^\w.()-]+/g, " ").trim() || "file" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Curves as comma-separated values: the time, then a column for each. */
export function csv(curves: Curve[]): string {
  const heads = ["t [s]", ...curves.map((c) => (c.unit ? `${c.name} [${c.unit}]` : c.name))];
  const rows = Array.from(curves[0].t, (t, i) => [t, ...curves.map((c) => c.y[i])].map(String).join(","));
  return [heads.map(quoted).join(","), ...rows].join("\r\n") + "\r\n";
}

/** A head in quotes where needed; one that a spreadsheet would compute is text. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const LOOK = "text{font:11px sans-serif;fill:#1f2933}.grid line{stroke:#d9dee4}.curves path{fill:none;stroke-width:1.5}.marks line{stroke:#5b6470}";

/** A chart as an SVG file that stands alone: title above, names of the curves below. */
export function standalone(chart: SVGSVGElement, title: string, curves: Curve[]): string {
  const [width, height] = [chart.width.baseVal.value, chart.height.baseVal.value];
  const across = Math.max(1, Math.floor(width / 170));
  const tall = 22 + height + 18 * Math.ceil(curves.length / across) + 6;
  const file = svg("svg", { xmlns: SVG, width, height: tall, viewBox: `0 0 ${width} ${tall}` });
  const style = svg("style");
  style.textContent = LOOK;
  const heading = svg("text", { x: 8, y: 15, "font-weight": "bold" });
  heading.textContent = title;
  const moved = svg("g", { transform: "translate(0 22)" });
  moved.append(...Array.from(chart.childNodes, (node) => node.cloneNode(true)));
  file.append(style, svg("rect", { width, height: tall, fill: "#ffffff" }), heading, moved);
  curves.forEach((curve, i) => {
    const [x, y] = [10 + 170 * (i % across), 22 + height + 12 + 18 * Math.floor(i / across)];
    const mark = svg("line", { x1: x, x2: x + 18, y1: y - 4, y2: y - 4, stroke: curve.color, "stroke-width": 2, "stroke-dasharray": curve.dash });
    const name = svg("text", { x: x + 24, y });
    name.textContent = curve.name;
    file.append(mark, name);
  });
  return new XMLSerializer().serializeToString(file);
}

export const SVG = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number> = {}): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== "") made.setAttribute(name, String(value));
  return made;
}
