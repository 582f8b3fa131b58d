/** The guideline checks of unsaved work, whose errors are shown once before a save. */

import { post } from "../wire/api";
import type { Finding } from "../wire/types";
import type { Blocked, Model } from "./body";
import type { Kind } from "./kind";
import { payload } from "./model";
import type { Page } from "./screen";

/** Milliseconds of quiet after which changed work is checked. */
const CHECK_AFTER = 400;

/** Milliseconds that a save waits for the check. */
const MOST_WAIT = 1500;

/** What is said beside everything that keeps a save waiting. */
export const FORCED = "Ctrl Enter saves anyway.";

/** What is said beside a finding, which keeps a save waiting once. */
const AGAIN = "Enter again saves anyway.";

export class Checks<K extends Kind> {
  stop: () => void = () => undefined;
  private count = 0;
  /** Whether the work changed since it was last checked. */
  pending = false;
  /** Errors that the reviewer has seen, by item and what it then was. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly page: Pick<Page, "after">,
    private readonly csrf: () => string,
    private readonly show: (found: { findings?: readonly Finding[] }) => void,
  ) {}

  /** Checks this model after a while, unless another start comes before. */
  start(model: Model<K>): void {
    if (!model.state.findings_url) return;
    this.stop();
    this.count += 1;
    this.pending = true;
    this.stop = this.page.after(CHECK_AFTER, () => void this.check(model));
  }

  /** Checks this model now, if it changed since the last check; waits no longer than a moment for the answer. */
  async finish(model: Model<K>): Promise<void> {
    if (!this.pending) return;
    this.stop();
    this.count += 1;
    await Promise.race([this.check(model), new Promise<void>((resolve) => this.page.after(MOST_WAIT, resolve))]);
  }

  private async check(model: Model<K>): Promise<void> {
    const current = this.count;
    const answer = await post(model.state.findings_url as string, this.csrf(), payload(model, "accepted", 0));
    if (current !== this.count) return;
    this.pending = false;
    const findings = answer?.["findings"];
    this.show(Array.isArray(findings) ? { findings: findings as Finding[] } : {});
  }

  /** Whether the reviewer has not yet seen an error in an item as it is: once seen, it is theirs to ignore. */
  isNew(model: Model<K>, item: string): boolean {
    const key = `${item} ${model.body.itemText(model, item)}`;
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }

  /** The first error that the reviewer has not seen yet, where errors keep this body's save waiting. */
  unseenError(model: Model<K>, findings: readonly Finding[]): Blocked | null {
    const { body } = model;
    const stops = findings.flatMap((finding) => {
      const shownWith = body.stopsAt(model, finding, findings);
      return shownWith === null ? [] : [{ finding, shownWith }];
    });
    const wrong = stops.find(({ shownWith }) => this.isNew(model, shownWith));
    if (!wrong) return null;
    const { finding, shownWith } = wrong;
    const id = body.idOfFinding(model, finding.item);
    const others = stops.filter((each) => each.shownWith === shownWith).length - 1;
    const more = others > 0 ? ` (${others} more)` : "";
    return { id, text: `${body.nameOf(model, id)}: ${finding.message}${more}. ${AGAIN}` };
  }
}
