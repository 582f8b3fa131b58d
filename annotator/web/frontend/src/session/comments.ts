/** Comments on the figure: fetched whenever they are opened, and sent. */

import { load } from "../wire/api";
import type { Conversation } from "../wire/types";
import type { Kind } from "./kind";
import type { Session } from "./session";

/** Shows or hides the comments. What is being written stays. */
export async function toggleComments<K extends Kind>(session: Session<K>): Promise<void> {
  const url = session.model.state.comments?.url;
  if (!url) return session.say("You can't comment in this campaign.");
  const shown = session.screen.over === "comments";
  session.show({ over: shown ? null : "comments" });
  session.page.focus(shown ? session.body.home : "comment");
  if (shown) return;
  const loaded = await load<Conversation>(url);
  receive(session, loaded.ok ? loaded.state : null, {});
}

/** Puts the comments before those shown in front of them. */
export async function loadEarlier<K extends Kind>(session: Session<K>): Promise<void> {
  const { shown } = session.screen.talk;
  const url = session.model.state.comments?.url;
  if (!url || typeof shown === "string" || shown.earlier === null) return;
  const loaded = await load<Conversation>(`${url}?before=${shown.earlier}`);
  if (!loaded.ok) return session.say(loaded.message);
  // A comment that was sent meanwhile stays.
  const { talk } = session.screen;
  if (typeof talk.shown === "string" || talk.shown.earlier !== shown.earlier) return;
  session.show({ talk: { ...talk, shown: joined(loaded.state, talk.shown) } });
  session.page.focus("comment");
}

/** Both pages of a conversation as one. A thread that goes over both is one thread. */
export function joined(before: Conversation, after: Conversation): Conversation {
  const begun = new Set(before.threads.map(({ id }) => id));
  const threads = before.threads.map((thread) => {
    const more = after.threads.find(({ id }) => id === thread.id)?.comments ?? [];
    return { ...thread, comments: [...thread.comments, ...more] };
  });
  return { ...after, earlier: before.earlier, threads: [...threads, ...after.threads.filter(({ id }) => !begun.has(id))] };
}

/** Sends what is written, to the thread or recipient that is chosen. */
export async function sendComment<K extends Kind>(session: Session<K>): Promise<void> {
  const { text, to } = session.screen.talk;
  const url = session.model.state.comments?.url;
  if (!url || text.trim() === "") return;
  const answer = await session.post(url, /^\d+$/.test(to) ? { body: text, thread: Number(to) } : { body: text, recipient: to });
  if (answer === null) return session.say("The comment was not sent; try again.");
  receive(session, answer as unknown as Conversation, { text: "" });
}

/** Shows what came, and tells the server that it is read. The thread that came last is answered, unless another was chosen. */
function receive<K extends Kind>(session: Session<K>, shown: Conversation | null, change: { text?: string }): void {
  const { talk } = session.screen;
  const last = shown?.threads.at(-1)?.id.toString() ?? "";
  const to = talk.to === "" || change.text === "" ? last : talk.to;
  session.show({ talk: { ...talk, ...change, shown: shown ?? "failed", unread: shown ? 0 : talk.unread, to } });
  const url = session.model.state.comments?.url;
  if (url && shown?.last) void session.post(`${url}/read`, { last: shown.last });
  session.page.focus("comment");
}
