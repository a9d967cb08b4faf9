// The mechanism of another run, drawn pale beside the first, to compare the two.

import { Group } from "three";
import { PageData } from "./data";
import { Solids } from "./solids";
import { Tracks } from "./tracks";

const PALE = "55"; // opacity

export class Ghost {
  readonly group = new Group();
  private readonly solids: Solids | null = null;
  private readonly tracks: Tracks | null = null;

  constructor({ scene, ghost }: PageData) {
    if (!ghost) return;
    this.tracks = new Tracks(scene.bodies.length, ghost.t, ghost.poses);
    const bodies = scene.solids.filter((s) => s.layer === "body" && s.body >= 0);
    this.solids = new Solids(bodies.map((s) => ({ ...s, color: s.color.slice(0, 7) + PALE })), scene.meshes);
    this.group.add(this.solids.group);
  }

  get any(): boolean {
    return this.solids !== null;
  }

  place(time: number): void {
    if (!this.solids || !this.tracks || !this.group.visible) return;
    this.tracks.show(time);
    this.solids.place(this.tracks.matrices);
  }
}
