/** How a decision reaches the server: once, whatever the connection does. */

import { save, type Saved } from "./api";
import { sameBox } from "./boxes";
import type { Remarked } from "./remarks";
import { sameTokens, tokenSet } from "./tokens";
import type { Conflict, Decision, Payload, Subfigure } from "./types";

/** Seconds until the next try, after the first, second ... failure; the last goes on. */
const WAITS = [2, 4, 8, 16, 32, 60] as const;

export function waitAfter(failures: number): number {
  return WAITS[Math.min(Math.max(failures, 1), WAITS.length) - 1] as number;
}

interface Body {
  version: number;
  second: boolean;
  based_on: readonly string[];
}

/** Of any screen. P: what it sends; D: a decision; C: what stands against one that came too late. */
export class SendOnce<P extends Body, D extends { reviewer: string }, C> {
  /** Sent, and never answered: each may have arrived. */
  private unsure: P[] = [];
  failures = 0;

  /** says: whether what was sent and what was decided say the same of the figure. */
  constructor(
    private readonly url: string,
    private readonly reviewer: string,
    private readonly post: (url: string, csrf: string, body: P) => Promise<Saved<D, C>>,
    private readonly says: (sent: P, other: P | D) => boolean,
  ) {}

  /**
   * Sends a decision. Where the answer to an earlier try was lost though that try had arrived, the server speaks of a
   * conflict with the reviewer's own decision: then this one is saved already, or goes on from that one.
   */
  async send(csrf: string, body: P): Promise<Saved<D, C>> {
    const answer = await this.post(this.url, csrf, body);
    if (answer.kind === "unreachable") {
      this.failures += 1;
      if (!this.unsure.some((sent) => this.same(sent, body))) this.unsure.push(body);
      return answer;
    }
    this.failures = 0;
    if (answer.kind !== "conflict" || answer.current?.reviewer !== this.reviewer) return answer;
    const { current, version } = answer;
    const arrived = this.unsure.find((sent) => version === sent.version + 1 && this.says(sent, current));
    if (!arrived) return answer;
    this.unsure = [];
    if (this.same(arrived, body)) return { kind: "saved", version, next: undefined };
    return this.send(csrf, { ...body, version });
  }

  private same(a: P, b: P): boolean {
    return sameAsked(a, b) && this.says(a, b);
  }
}

/** Of the screen of subfigures. */
export class Delivery extends SendOnce<Payload, Decision, Conflict> {
  constructor(url: string, reviewer: string, post: (url: string, csrf: string, body: Payload) => Promise<Saved> = save) {
    super(url, reviewer, post, says);
  }
}

/** Whether both are sent over the same version, from the same people's work, to the same reviewers. */
export function sameAsked(a: Body, b: Body): boolean {
  return a.version === b.version && a.second === b.second && a.based_on.join() === b.based_on.join();
}

/** Whether both would keep the same; how long it took does not matter. */
export function sameDecision(a: Payload, b: Payload): boolean {
  return sameAsked(a, b) && says(a, b);
}

type Said = Remarked & Pick<Decision, "status" | "subfigures">;

/** Whether both say the same of the figure. The server rounds boxes to a hundredth of a pixel. */
export function says(a: Said, b: Said): boolean {
  return (
    a.status === b.status &&
    a.note.trim() === b.note.trim() &&
    (a.error_kind ?? null) === (b.error_kind ?? null) &&
    (a.guideline_flag ?? "").trim() === (b.guideline_flag ?? "").trim() &&
    a.subfigures.length === b.subfigures.length &&
    a.subfigures.every((each, i) => sameSubfigure(each, b.subfigures[i] as Subfigure))
  );
}

function sameSubfigure(a: Subfigure, b: Subfigure): boolean {
  return a.label === b.label && sameBox(a.box, b.box) && sameTokens(tokenSet(a.tokens), tokenSet(b.tokens));
}
