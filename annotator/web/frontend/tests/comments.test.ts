/** Pages of a conversation, put together. */

import { expect, test } from "vitest";
import { joined } from "../src/session/comments";
import type { Conversation } from "../src/wire/types";

const comment = (body: string) => ({ author: "R", mine: false, at: "2026-01-02T03:04:05Z", body });
const page = (earlier: number | null, last: number, threads: [number, ...string[]][]): Conversation => ({
  threads: threads.map(([id, ...bodies]) => ({ id, between: "Reviewers", comments: bodies.map(comment) })),
  parties: [], last, earlier, longest: 10,
});

test("a thread over both pages is one, in order; what came last and what comes before are those of the ends", () => {
  const { threads, last, earlier } = joined(page(5, 9, [[1, "a"], [2, "b"]]), page(10, 20, [[2, "c"], [15, "d"]]));
  expect(threads.map(({ id, comments }) => [id, ...comments.map(({ body }) => body)])).toEqual([[1, "a"], [2, "b", "c"], [15, "d"]]);
  expect([last, earlier]).toEqual([20, 5]);
});
