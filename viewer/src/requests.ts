// Requests to the live page's server: one at a time, the newest first.

import { LiveState } from "./data";

export type Query = Record<string, unknown>;

/** Nobody answers. */
export class Lost extends Error {}

const AGAIN = 2000; // milliseconds until a lost request is sent again

export async function post<T>(path: string, token: string, query: Query): Promise<T> {
  const headers = { "Content-Type": "application/json", "X-Linkwright-Token": token };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(query) }).catch(() => {
    throw new Lost("the connection to linkwright is lost; start it again and open the address it prints, this page tries on");
  });
  if (response.status === 403) throw new Error("this page is no longer served: open the address that linkwright printed");
  const data = await response.json();
  if (!response.ok) throw new Error(data.error);
  return data as T;
}

/** Sends the newest query as soon as the response to the last one is there, and drops those in between. */
export class Requests {
  private waiting: Query | null = null;
  private busy = false;

  constructor(
    private readonly token: string,
    private readonly state: () => LiveState,
    private readonly received: (state: LiveState) => void,
    private readonly failed: (text: string, lost: boolean) => void,
  ) {}

  send(query: Query): void {
    this.waiting = query;
    if (!this.busy) void this.run();
  }

  /** Send a query and wait for the response. */
  async now(query: Query): Promise<LiveState> {
    const state = await post<LiveState>("/solve", this.token, { q: this.state().q, parameters: this.state().parameters, ...query });
    this.received(state);
    return state;
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.waiting) {
      const query = this.waiting;
      this.waiting = null;
      try {
        await this.now(query);
      } catch (fault) {
        this.failed((fault as Error).message, fault instanceof Lost);
        if (fault instanceof Lost) {
          await new Promise((done) => setTimeout(done, AGAIN));
          this.waiting ??= query;
        }
      }
    }
    this.busy = false;
  }
}
