/** Another reviewer decided first: what the answers to the comparison do to the session. */

import type { Kind } from "./kind";
import { mergedDecision, rowsOf } from "./conflict";
import { payload } from "./model";
import type { ConflictNotice, Side } from "./screen";
import type { Session } from "./session";

function noticeOf<K extends Kind>({ screen: { notice } }: Session<K>): ConflictNotice<K> | null {
  return notice?.kind === "conflict" ? notice : null;
}

export function stepRow<K extends Kind>(session: Session<K>, by: 1 | -1): void {
  const notice = noticeOf(session);
  const count = notice?.conflict ? rowsOf(session.body, notice.conflict).length : 0;
  if (notice && count > 0) session.show({ notice: { ...notice, row: (notice.row + by + count) % count } });
}

/** Chooses one side of a line; of the one that keys work on where none is named. */
export function pick<K extends Kind>(session: Session<K>, side: Side, row?: number): void {
  const notice = noticeOf(session);
  if (!notice?.conflict) return;
  const at = row ?? notice.row;
  const key = rowsOf(session.body, notice.conflict)[at]?.key;
  if (key === undefined) return;
  session.show({ notice: { ...notice, row: at, choices: { ...notice.choices, [key]: side } } });
}

/** Sends one's own work again, over the version that came between. */
export async function keepMine<K extends Kind>(session: Session<K>): Promise<void> {
  const notice = noticeOf(session);
  if (!notice) return;
  session.drop();
  session.act({ type: "version", version: notice.version });
  session.keep();
  return session.send(payload(session.model, notice.sent.status, session.seconds()));
}

/** Leaves the colleague's decision as it is, and shows it. */
export function takeTheirs<K extends Kind>(session: Session<K>): void {
  const notice = noticeOf(session);
  if (!notice) return;
  // No decision is left: the figure is loaded anew, and the draft is offered there.
  if (notice.current === null) return session.page.go(session.page.here());
  session.drop();
  session.act({ type: "theirs", decision: notice.current, version: notice.version });
  session.closeNotice();
}

/** Saves what the choices make of both decisions. */
export async function saveMerge<K extends Kind>(session: Session<K>): Promise<void> {
  const notice = noticeOf(session);
  if (!notice?.conflict) return;
  const decision = mergedDecision(session.body, notice.conflict, notice.choices, notice.sent, session.seconds());
  const refusal = session.body.refusesMerge(decision);
  if (refusal !== null) return session.say(refusal);
  session.drop();
  // First onto the screen: whatever becomes of the request, the merge is not lost.
  session.act({ type: "merged", decision });
  return session.send(decision);
}
