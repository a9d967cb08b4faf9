// Clock of the animation: its time, running or not, and its rate.

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Clock {
  time: number;
  playing = false;
  speed = 1;
  turned: () => unknown = () => undefined; // called when the end is reached
  private last = 0;

  constructor(readonly start: number, readonly end: number, private readonly moved: () => void) {
    this.time = start;
  }

  get still(): boolean {
    return this.end <= this.start;
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.moved();
  }

  step(share: number): void {
    this.pause();
    this.seek(this.time + share * (this.end - this.start));
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.still) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
    this.moved();
  }

  pause(): void {
    this.playing = false;
    this.moved();
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const next = this.time + (this.speed * Math.max(now - this.last, 0)) / 1000;
    this.last = now;
    if (next > this.end) this.turned();
    this.time = next > this.end ? this.start : next;
    this.moved();
    requestAnimationFrame((then) => this.tick(then));
  }
}
