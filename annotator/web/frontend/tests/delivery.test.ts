import { describe, expect, test } from "vitest";
import { SUBFIGURES } from "../src/bodies/subfigures/body";
import type { Conflict, Decision, Payload } from "../src/bodies/subfigures/types";
import { Delivery, sameDecision as same, waitAfter } from "../src/session/delivery";
import type { Saved as AnySaved } from "../src/wire/api";

type Saved = AnySaved<Decision, Conflict>;
const sameDecision = (a: Payload, b: Payload) => same(SUBFIGURES, a, b);

const body = (change: Partial<Payload> = {}): Payload => ({
  version: 3, status: "accepted", note: "n", seconds: 4, based_on: ["k1"], error_kind: null, guideline_flag: null, second: false,
  subfigures: [{ label: "A", box: [0, 0, 10.1, 10], tokens: [2, 1] }], ...change,
});
const LOST: Saved = { kind: "unreachable", message: "gone" };

/** A server that keeps decisions; the answers to some requests, counted from 0, are lost on the way back. */
function server(lost: number[], reviewer = "rev") {
  const kept: Payload[] = [];
  let version = 3;
  let asked = 0;
  const post = async (_url: string, _csrf: string, sent: Payload): Promise<Saved> => {
    const gone = lost.includes(asked);
    asked += 1;
    if (sent.version !== version) {
      const last = kept.at(-1) as Payload;
      const current = {
        ...last, reviewer, decided_at: "2026-11-21T10:00:00Z",
        subfigures: last.subfigures.map((each) => ({ ...each, tokens: [...each.tokens].sort() })),
      };
      return gone ? LOST : { kind: "conflict", message: "faster", version, current, conflict: null };
    }
    version += 1;
    kept.push(sent);
    return gone ? LOST : { kind: "saved", version, next: "/next" };
  };
  return { kept, post };
}

describe("delivery", () => {
  test("a decision whose answer was lost is kept once, and found to be saved", async () => {
    const { kept, post } = server([0]);
    const delivery = new Delivery(SUBFIGURES, "/save", "rev", post);
    expect(await delivery.send("t", body())).toEqual(LOST);
    expect(delivery.failures).toBe(1);
    expect(await delivery.send("t", body({ seconds: 9 }))).toEqual({ kind: "saved", version: 4, next: undefined });
    expect(kept).toHaveLength(1);
    expect(delivery.failures).toBe(0);
  });
  test("work that went on after a lost answer follows one's own decision, with no conflict told", async () => {
    const { kept, post } = server([0, 1]);
    const delivery = new Delivery(SUBFIGURES, "/save", "rev", post);
    await delivery.send("t", body());
    await delivery.send("t", body());
    expect(await delivery.send("t", body({ note: "more" }))).toMatchObject({ kind: "saved", version: 5 });
    expect(kept.map(({ version, note }) => [version, note])).toEqual([[3, "n"], [4, "more"]]);
  });
  test("a decision of somebody else, or of oneself in another window, stays a conflict", async () => {
    const other = server([0], "rev2");
    const delivery = new Delivery(SUBFIGURES, "/save", "rev", other.post);
    await delivery.send("t", body());
    expect((await delivery.send("t", body())).kind).toBe("conflict");
    const own = server([]);
    await own.post("/save", "t", body());
    expect((await new Delivery(SUBFIGURES, "/save", "rev", own.post).send("t", body())).kind).toBe("conflict");
  });
  test("tries become rarer, and never end", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 99].map(waitAfter)).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
  });
  test("the time spent is no part of what is decided", () => {
    expect(sameDecision(body(), body({ seconds: 99 }))).toBe(true);
    expect(sameDecision(body(), body({ note: "" }))).toBe(false);
    expect(sameDecision(body(), body({ version: 4 }))).toBe(false);
    expect(sameDecision(body(), body({ subfigures: [] }))).toBe(false);
  });
});
