/** Sets of caption tokens, kept as ascending arrays of ids. Ids count from 0 in caption order. */

import type { Candidate, Token } from "../types";

export type TokenSet = readonly number[];

export function tokenSet(ids: Iterable<number>): TokenSet {
  return [...new Set(ids)].sort((a, b) => a - b);
}

export function sameTokens(a: TokenSet, b: TokenSet): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}

/** The set with every id from `from` to `to` (in either order, both included) in or out. */
export function setRun(tokens: TokenSet, from: number, to: number, on: boolean): TokenSet {
  const low = Math.min(from, to);
  const high = Math.max(from, to);
  const rest = tokens.filter((id) => id < low || id > high);
  if (!on) return rest;
  return tokenSet([...rest, ...Array.from({ length: high - low + 1 }, (_, i) => low + i)]);
}

/** Whether the set has every id from `low` to `high`, both included. */
export function hasRun(tokens: TokenSet, low: number, high: number): boolean {
  return tokens.filter((id) => id >= low && id <= high).length === high - low + 1;
}

/** Runs of neighbouring ids, as [first, last] pairs. */
export function runs(tokens: TokenSet): [number, number][] {
  const found: [number, number][] = [];
  for (const id of tokens) {
    const last = found.at(-1);
    if (last && last[1] === id - 1) last[1] = id;
    else found.push([id, id]);
  }
  return found;
}

/** The run that holds `cursor`, else the nearest (the earlier of two equally near); null where the set is empty. */
export function runAt(tokens: TokenSet, cursor: number): [number, number] | null {
  let best: [number, number] | null = null;
  let distance = Infinity;
  for (const run of runs(tokens)) {
    const away = cursor < run[0] ? run[0] - cursor : cursor > run[1] ? cursor - run[1] : 0;
    if (away < distance) [best, distance] = [run, away];
  }
  return best;
}

/** One token more (+1) or fewer (-1) at an end of the run at the cursor; [set, id of the run's new end token]. */
export function adjustRun(
  tokens: TokenSet,
  cursor: number,
  edge: "start" | "end",
  change: 1 | -1,
  count: number,
): [TokenSet, number] {
  const run = runAt(tokens, cursor);
  if (!run) return change === 1 && count > 0 ? [setRun(tokens, cursor, cursor, true), cursor] : [tokens, cursor];
  const [first, last] = run;
  if (change === -1) {
    const gone = edge === "start" ? first : last;
    const kept = edge === "start" ? Math.min(first + 1, last) : Math.max(last - 1, first);
    return [setRun(tokens, gone, gone, false), kept];
  }
  const added = edge === "start" ? first - 1 : last + 1;
  if (added < 0 || added >= count) return [tokens, edge === "start" ? first : last];
  return [setRun(tokens, added, added, true), added];
}

/** Ids that some but not all supporters of the candidate include: where the annotators differ. */
export function differing(candidate: Candidate): TokenSet {
  const all = candidate.supporters.length;
  const ids = Object.entries(candidate.votes).filter(([, keys]) => keys.length > 0 && keys.length < all);
  return tokenSet(ids.map(([id]) => Number(id)));
}

export function votesFor(candidate: Candidate | null, id: number): readonly string[] {
  return candidate?.votes[String(id)] ?? [];
}

/** What one annotator included, by the candidate's votes. */
export function tokensOf(candidate: Candidate, annotator: string): TokenSet {
  const ids = Object.entries(candidate.votes).filter(([, keys]) => keys.includes(annotator));
  return tokenSet(ids.map(([id]) => Number(id)));
}

/** The next id after (or before) the cursor, going round; null where there is none. */
export function nextId(ids: TokenSet, cursor: number, direction: 1 | -1): number | null {
  if (ids.length === 0) return null;
  const ahead = direction === 1 ? ids.find((id) => id > cursor) : ids.findLast((id) => id < cursor);
  return ahead ?? (direction === 1 ? ids[0] : ids.at(-1)) ?? null;
}

const ENDS = new Set([".", ";", "!", "?", "。", "；"]);

function endsClause(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i];
  if (!token) return true;
  if (token.newline) return true;
  // "0.5" is cut in three: a full stop ends a clause only where white space, or the caption's end, follows.
  return ENDS.has(token.text) && (token.space === true || i === tokens.length - 1);
}

function startsClause(tokens: readonly Token[], i: number): boolean {
  const [open, mark, close] = [tokens[i], tokens[i + 1], tokens[i + 2]];
  return open?.text === "(" && close?.text === ")" && mark !== undefined && [...mark.text].length <= 2;
}

/** The clause around token i as [first, last]: up to a stop, a line's end or a mark such as "(b)". */
export function clauseAt(tokens: readonly Token[], i: number): [number, number] {
  let first = i;
  // A mark belongs to the clause that it opens, wherever in "(b)" one points.
  while (first > 0 && !startsClause(tokens, first) && !endsClause(tokens, first - 1)) first -= 1;
  let last = i;
  while (last < tokens.length - 1 && !endsClause(tokens, last) && !startsClause(tokens, last + 1)) last += 1;
  return [first, last];
}

/** The text of the ids, runs joined by an ellipsis. */
export function textOf(tokens: readonly Token[], ids: TokenSet): string {
  const parts = runs(ids).map(([first, last]) => {
    const words = tokens.slice(first, last + 1);
    return words.map((token) => token.text + (token.space || token.newline ? " " : "")).join("").trim();
  });
  return parts.join(" … ");
}

/**
 * What is to be seen of a reading: all of it where nobody differs, else its beginning and the surroundings of what
 * annotators differ in, that itself whether it is in or not. Words are not cut: "0.5" is three tokens. null: something
 * is left out.
 */
export function gist(tokens: TokenSet, loud: ReadonlySet<number>, caption: readonly Token[], around = 3): (number | null)[] {
  const shown = new Set(loud.size === 0 ? tokens : [...tokens.slice(0, around), ...loud]);
  for (const id of tokens) {
    for (let near = id - around; near <= id + around; near += 1) if (loud.has(near)) shown.add(id);
  }
  const all = tokenSet([...tokens, ...loud]);
  const has = new Set(tokens);
  // Of a long run both ends tell enough: the middle of one hides what comes after it.
  for (const [inside, most] of [[true, HAS_ENDS], [false, LACKS_ENDS]] as const) {
    for (const [first, end] of runs(all.filter((id) => loud.has(id) && has.has(id) === inside))) {
      for (let id = first + most; id <= end - most; id += 1) if (end - first > 2 * most) shown.delete(id);
    }
  }
  for (const id of [...all].reverse()) if (shown.has(id + 1) && joined(caption[id])) shown.add(id);
  for (const id of all) if (shown.has(id - 1) && joined(caption[id - 1])) shown.add(id);
  const parts: (number | null)[] = [];
  let last: number | null = null;
  for (const id of all) {
    if (!shown.has(id)) continue;
    if (last !== null && id !== last + 1) parts.push(null);
    parts.push(id);
    last = id;
  }
  if (last !== null && last < (tokens.at(-1) ?? -1)) parts.push(null);
  return parts;
}

/** Tokens that are shown of either end of a long run that an annotator has, and of one that they lack. */
const HAS_ENDS = 4;
const LACKS_ENDS = 2;

/** The first words and the last of a text, where that is shorter. */
export function brief(text: string, first = 4, last = 2): string {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length <= first + last + 1) return words.join(" ");
  return `${words.slice(0, first).join(" ")} … ${words.slice(-last).join(" ")}`;
}

function joined(token: Token | undefined): boolean {
  return token !== undefined && !token.space && !token.newline && !token.gap;
}
