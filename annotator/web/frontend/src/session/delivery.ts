/** How a decision reaches the server: once, whatever the connection does. */

import type { Saved } from "../wire/api";
import type { Body } from "./body";
import type { Kind } from "./kind";
import { saysSame } from "./model";

/** Seconds until the next try, after the first, second ... failure; the last goes on. */
const WAITS = [2, 4, 8, 16, 32, 60] as const;

export function waitAfter(failures: number): number {
  return WAITS[Math.min(Math.max(failures, 1), WAITS.length) - 1] as number;
}

export class Delivery<K extends Kind> {
  /** Sent, and never answered: each may have arrived. */
  private unsure: K["payload"][] = [];
  failures = 0;

  constructor(
    private readonly body: Body<K>,
    private readonly url: string,
    private readonly reviewer: string,
    private readonly post: ReturnType<Body<K>["post"]>,
  ) {}

  /**
   * Sends a decision. Where the answer to an earlier try was lost though that try had arrived, the server speaks of a
   * conflict with the reviewer's own decision: then this one is saved already, or goes on from that one.
   */
  async send(csrf: string, decision: K["payload"]): Promise<Saved<K["decision"], K["conflict"]>> {
    const answer = await this.post(this.url, csrf, decision);
    if (answer.kind === "unreachable") {
      this.failures += 1;
      if (!this.unsure.some((sent) => sameDecision(this.body, sent, decision))) this.unsure.push(decision);
      return answer;
    }
    this.failures = 0;
    if (answer.kind !== "conflict" || answer.current?.reviewer !== this.reviewer) return answer;
    const { version } = answer;
    const current: K["decision"] = answer.current;
    const arrived = this.unsure.find((sent) => version === sent.version + 1 && saysSame(this.body, sent, current));
    if (!arrived) return answer;
    this.unsure = [];
    if (sameDecision(this.body, arrived, decision)) return { kind: "saved", version, next: undefined };
    return this.send(csrf, { ...decision, version });
  }
}

/** Whether both would save the same over the same version; how long it took does not matter. */
export function sameDecision<K extends Kind>(body: Body<K>, a: K["payload"], b: K["payload"]): boolean {
  const sameAsked = a.version === b.version && a.second === b.second && a.based_on.join() === b.based_on.join();
  return sameAsked && saysSame(body, a, b);
}
