/** What an annotator looked at on their own task: chosen, with its text shown, for a while; or changed. */

import type { Page } from "./screen";

/** Milliseconds that a thing has to be chosen: a key held down passes over it. */
export const LOOK = 700;

export class Visits {
  private readonly ids = new Set<string>();
  private chosen: string | null = null;
  private stop: () => void = () => undefined;

  constructor(private readonly page: Pick<Page, "after" | "seen">) {}

  /** Tells what is chosen now. */
  choose(id: string | null): void {
    if (id === this.chosen) return;
    this.chosen = id;
    this.stop();
    if (id !== null) this.wait(id);
  }

  /** A thing that was changed was looked at. */
  add(id: string | null): void {
    if (id !== null) this.ids.add(id);
  }

  all(): ReadonlySet<string> {
    return this.ids;
  }

  private wait(id: string): void {
    this.stop = this.page.after(LOOK, () => {
      // A page in the background is not looked at.
      if (this.page.seen()) this.ids.add(id);
      else this.wait(id);
    });
  }
}
