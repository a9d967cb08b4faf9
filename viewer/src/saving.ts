// Files that the page makes for its reader.

import { Curve } from "./curves";
import { element } from "./elements";
import { Row } from "./sampling";

/** Offer a content as a file. */
export function offered(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name.replace(/[^\w.()-]+/g, " ").trim() || "file" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Curves as comma-separated values: each row of x once, then a column for each of its curves. */
export function csv(below: string, curves: Curve[], exact: (x: number) => number): string {
  const columns: [string, Row][] = [];
  for (const t of new Set(curves.map((c) => c.t))) {
    columns.push([below, t]);
    for (const c of curves.filter((each) => each.t === t)) {
      const head = c.unit ? `${c.name} [${c.unit}]` : c.name;
      columns.push(...(c.low ? ([[`${head} from`, c.low], [`${head} to`, c.y]] as [string, Row][]) : [[head, c.y] as [string, Row]]));
    }
  }
  const rows = Math.max(...columns.map(([, row]) => row.length));
  const lines = Array.from({ length: rows }, (_, i) => columns.map(([, row]) => (i < row.length ? String(exact(row[i])) : "")).join(","));
  return [columns.map(([head]) => quoted(head)).join(","), ...lines].join("\r\n") + "\r\n";
}

/** A head in quotes where needed; one that a spreadsheet would compute is text. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const LOOK = "text{font:11px sans-serif;fill:#1f2933}.grid line{stroke:#d9dee4}.curves path{fill:none;stroke-width:1.5}.curves .spots{stroke-width:5;stroke-linecap:round}.marks line{stroke:#5b6470}";

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
