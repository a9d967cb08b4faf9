// Questions to the live page's server: one at a time, the newest first.

import { LiveState } from "./data";

export type Question = Record<string, unknown>;

export async function asked<T>(path: string, token: string, question: Question): Promise<T> {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Linkwright-Token": token },
    body: JSON.stringify(question),
  });
  if (answer.status === 403) throw new Error("this page is no longer served: open the address that linkwright printed");
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data as T;
}

/** Sends the newest question as soon as the last one is answered, and drops those in between. */
export class Asker {
  private waiting: Question | null = null;
  private busy = false;

  constructor(
    private readonly token: string,
    private readonly state: () => LiveState,
    private readonly answered: (state: LiveState) => void,
    private readonly failed: (text: string) => void,
  ) {}

  ask(question: Question): void {
    this.waiting = question;
    if (!this.busy) void this.run();
  }

  /** Ask and wait for the answer. */
  async now(question: Question): Promise<LiveState> {
    const state = await asked<LiveState>("/solve", this.token, { q: this.state().q, ...question });
    this.answered(state);
    return state;
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.waiting) {
      const question = this.waiting;
      this.waiting = null;
      try {
        await this.now(question);
      } catch (fault) {
        this.failed((fault as Error).message);
      }
    }
    this.busy = false;
  }
}
