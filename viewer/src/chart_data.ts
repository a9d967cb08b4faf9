// Charts of a page, as src/linkwright/viewer/chart_data.py writes them.

import { Packed } from "./data";

export interface RowData {
  x: number; // which of the horizontal rows
  y: Packed;
}

/** Curves and areas that share both axes; labels hold the unit: "torque [N m]". */
export interface PanelData {
  kind: "Panel";
  title: string;
  below: string;
  beside: string;
  x: Packed[];
  curves: (RowData & { name: string; dashed?: true; dots?: true; other?: RowData })[];
  bands: { name: string; x: number; low: Packed; high: Packed }[];
  limits?: [string, number][]; // names of curves and bounds
  constants?: [string, number][]; // components that do not move and are not drawn
  log?: true;
  equal?: true;
  counts?: true; // the numbers below have no fractions
}

/** What has colors: their ends, null where all are alike. */
export interface Colored {
  title: string;
  quantity: string;
  ends?: [number, number] | null;
  log?: boolean;
  remark?: string;
  values?: Packed;
}

/** A quantity over a plane: on a grid, between triangles, or at points. */
export interface MapData extends Colored {
  kind: "Map";
  below: string;
  beside: string;
  equal: boolean;
  x?: Packed;
  y?: Packed;
  points?: Packed;
  faces?: Packed;
}

export interface SurfaceData extends Colored {
  kind: "Surface";
  labels: [string, string, string];
  points: Packed;
  faces: Packed;
}

export type ChartData = PanelData | MapData | SurfaceData;

/** Name and unit of a label. */
export function splitLabel(label: string): [string, string] {
  const found = /^(.*?) ?\[([^[\]]*)\]$/.exec(label);
  return found ? [found[1], found[2]] : [label, ""];
}
