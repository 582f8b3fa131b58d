/** Who else is on this figure: a lease that is renewed while the screen is seen. Advice, never a lock. */

import { post } from "./api";
import type { Reviewing } from "./types";

/** Milliseconds between two renewals. */
const EVERY = 60_000;

export class Presence {
  private stop: () => void = () => undefined;

  /** tell: called with the others, whenever the server was asked. seen: whether the screen can be seen. */
  constructor(
    private readonly url: string,
    private readonly csrf: () => string,
    private readonly page: { after(milliseconds: number, call: () => void): () => void; seen(): boolean },
    private readonly tell: (others: readonly Reviewing[]) => void,
  ) {}

  /** The state that was loaded took the lease: the first renewal is later. */
  start(): void {
    this.stop = this.page.after(EVERY, () => void this.renew());
  }

  async renew(): Promise<void> {
    this.stop();
    if (this.page.seen()) {
      const others = (await post(this.url, this.csrf(), {}))?.["others"];
      if (Array.isArray(others)) this.tell(others as Reviewing[]);
    }
    this.start();
  }

  /** Gives the lease back; the request outlives the page. */
  end(): void {
    this.stop();
    void post(this.url, this.csrf(), { done: true }, true);
  }
}
