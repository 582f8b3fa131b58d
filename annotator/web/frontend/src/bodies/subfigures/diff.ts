/** How another reviewer's decision differs from one's own: one line a subfigure. */

import { iou, sameBox } from "./boxes";
import { DECISION_WORDS, type Status } from "../../wire/types";
import type { Subfigure } from "./types";

export interface Side {
  status: Status;
  subfigures: readonly Subfigure[];
  note?: string;
}

/** Lines such as "B: 2 tokens more, 1 fewer; box differs". Empty where both say the same. other: what `theirs` is called. */
export function diff(mine: Side, theirs: Side, other = "the other decision"): string[] {
  if (mine.status !== theirs.status) return [`${other}: ${DECISION_WORDS[theirs.status]}, yours: ${DECISION_WORDS[mine.status]}`];
  const lines: string[] = [];
  const free = new Set(theirs.subfigures.keys());
  const unmatched: Subfigure[] = [];
  for (const own of mine.subfigures) {
    const at = partner(own, theirs.subfigures, free);
    if (at === null) {
      unmatched.push(own);
      continue;
    }
    free.delete(at);
    const line = compare(own, theirs.subfigures[at] as Subfigure, other);
    if (line) lines.push(line);
  }
  lines.push(...unmatched.map((own) => `${own.label}: only in your work`));
  lines.push(...[...free].map((at) => `${(theirs.subfigures[at] as Subfigure).label}: only in ${other}`));
  if (mine.note !== undefined && theirs.note !== undefined && mine.note.trim() !== theirs.note.trim()) {
    lines.push("note differs");
  }
  return lines;
}

/** The same label wins; without one, the box that overlaps by half or more. */
function partner(own: Subfigure, theirs: readonly Subfigure[], free: ReadonlySet<number>): number | null {
  let best: number | null = null;
  let score = 0.5;
  for (const at of free) {
    const other = theirs[at] as Subfigure;
    const value = (other.label === own.label ? 1 : 0) + iou(own.box, other.box);
    if (value >= score) [best, score] = [at, value];
  }
  return best;
}

function compare(mine: Subfigure, theirs: Subfigure, saved: string): string | null {
  const parts: string[] = [];
  if (mine.label !== theirs.label) parts.push(`labelled ${theirs.label} in ${saved}`);
  const own = new Set(mine.tokens);
  const other = new Set(theirs.tokens);
  const more = theirs.tokens.filter((id) => !own.has(id)).length;
  const fewer = mine.tokens.filter((id) => !other.has(id)).length;
  if (more > 0) parts.push(`${count(more)} more in ${saved}`);
  if (fewer > 0) parts.push(`${count(fewer)} fewer in ${saved}`);
  if (!sameBox(mine.box, theirs.box, 1)) parts.push(`box differs (overlap ${Math.round(iou(mine.box, theirs.box) * 100)} %)`);
  return parts.length > 0 ? `${mine.label}: ${parts.join("; ")}` : null;
}

function count(tokens: number): string {
  return tokens === 1 ? "1 token" : `${tokens} tokens`;
}
