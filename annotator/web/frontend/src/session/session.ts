/** One figure on the screen: the model, what the screen itself remembers, and what is saved. No markup here. */

import { load, post, type Saved } from "../wire/api";
import { Presence } from "../wire/presence";
import type { Status } from "../wire/types";
import type { Body, Model } from "./body";
import { Clock } from "./clock";
import { rowsOf } from "./conflict";
import { Delivery, sameDecision, waitAfter } from "./delivery";
import { draftKey, dropDraft, keepDraft, recover, recovered } from "./draft";
import { Checks, FORCED } from "./guidelines";
import type { CommonAction, Kind } from "./kind";
import { enterDoes, isDirty, payload, reduce, startModel } from "./model";
import type { Failed, Page, Places, Screen } from "./screen";
import { Visits } from "./visits";

export class Session<K extends Kind = Kind> {
  model: Model<K>;
  screen: Screen<K>;
  readonly clock = new Clock();
  private csrf: string;
  private readonly delivery: Delivery<K>;
  private readonly presence: Presence | null = null;
  private stopWaiting: () => void = () => undefined;
  readonly checks: Checks<K>;
  private readonly visits: Visits;
  /** Whether a save waits for the guideline checks. */
  private checking = false;

  constructor(
    readonly body: Body<K>,
    state: K["state"],
    readonly places: Places,
    readonly page: Page,
    private readonly changed: () => void,
  ) {
    const fresh = startModel(body, state);
    const { model, notice, seconds } = recover(page.storage, fresh);
    this.model = model;
    this.csrf = state.csrf || places.csrf;
    this.screen = {
      pane: "caption",
      layers: state.annotators.map(() => true),
      drawing: false,
      panning: false,
      taking: false,
      sheet: false,
      saving: false,
      offline: false,
      notice,
      others: state.others ?? [],
      over: null,
      guideline: null,
      talk: { shown: "loading", unread: state.comments?.unread ?? 0, text: "", to: "" },
      findings: state.findings?.[""] ?? [],
      moving: null,
      zoom: null,
    };
    this.delivery = new Delivery(body, places.saveUrl, state.reviewer, body.post(state));
    this.clock.add(seconds);
    if (state.lease_url) {
      this.presence = new Presence(state.lease_url, () => this.csrf, page, (others) => this.show({ others }));
      this.presence.start();
    }
    this.visits = new Visits(page);
    this.visits.choose(model.chosen);
    this.checks = new Checks(page, () => this.csrf, (found) => this.show(found));
    if (model !== fresh || !state.findings?.[""]) this.checks.start(model);
  }

  act(action: CommonAction<K> | K["action"]): void {
    const before = this.model;
    this.visits.choose(before.chosen);
    // The findings in an item are in view when it is accepted.
    const item = action.type === "accept" && before.chosen !== null ? this.body.itemOf(before.chosen) : null;
    if (item !== null) this.checks.isNew(before, item);
    this.model = reduce(before, action);
    if (before.work !== this.model.work) this.visits.add(before.chosen);
    this.visits.choose(this.model.chosen);
    if (before.work !== this.model.work) this.checks.start(this.model);
    if (before.work !== this.model.work || before.remarks !== this.model.remarks) {
      this.keep();
      this.holdRetry();
    }
    this.changed();
  }

  show(change: Partial<Screen<K>>): void {
    this.screen = { ...this.screen, ...change };
    this.changed();
  }

  say(said: string): void {
    this.model = { ...this.model, said };
    this.changed();
  }

  seconds(): number {
    return this.clock.seconds(this.page.now());
  }

  /** The image's scale, made so many times as large. */
  scaled(factor: number): number {
    return Math.min(Math.max((this.screen.zoom ?? this.page.fit()) * factor, 0.05), 16);
  }

  // -- the draft ---------------------------------------------------------------------------------------------

  /** Stores the draft of what is on the screen, unless nothing is changed. */
  keep(): void {
    if (!isDirty(this.model)) this.drop();
    else if (!keepDraft(this.page.storage, this.model, this.seconds(), new Date())) {
      this.model = { ...this.model, said: "This browser can't store drafts: save before you leave." };
    }
  }

  /** Forgets the draft of what is on the screen. */
  drop(): void {
    dropDraft(this.page.storage, draftKey(this.model));
  }

  /** Restores unsaved work that another decision came after: saving it replaces that decision. */
  restoreDraft(): void {
    const { notice } = this.screen;
    if (notice?.kind !== "stale" || notice.found.kind === "replaced") return;
    const { draft, key } = notice.found;
    this.clock.add(draft.seconds);
    this.model = recovered(this.model, draft);
    dropDraft(this.page.storage, key);
    this.keep();
    this.checks.start(this.model);
    this.closeNotice();
  }

  /** Forgets unsaved work. What was on the screen comes back with undo. */
  discardDraft(): void {
    const { notice } = this.screen;
    if (notice?.kind === "stale") dropDraft(this.page.storage, notice.found.key);
    else if (notice?.kind === "draft") {
      const { work, remarks, chosen } = startModel(this.body, this.model.state);
      this.model = reduce(this.model, { type: "replace", work, remarks, chosen, said: "Draft discarded; undo brings it back." });
      this.drop();
      this.checks.start(this.model);
    } else return;
    this.closeNotice();
  }

  /** Closes what waited for an answer. */
  closeNotice(): void {
    this.show({ notice: null });
    this.page.focus(this.body.home);
  }

  // -- saving ------------------------------------------------------------------------------------------------

  /** Saves the figure as accepted, unless something has to be seen first. */
  async accept(forced: boolean): Promise<void> {
    this.page.flush();
    const { model, body } = this;
    const open = body.openIds(model.work);
    if (!forced && open.length > 0) {
      const there = model.chosen !== null && open.includes(model.chosen);
      if (there && open.length > 1) return this.act({ type: "step", by: 1, among: "open" });
      const id = open[0] as string;
      this.act({ type: "choose", id });
      const text = body.openText(model, id, there, open.length);
      // Of an annotator's items nothing goes out that is open, whatever is pressed.
      return this.say(body.blocked(model, true) ? text : `${text} ${FORCED}`);
    }
    const unseen = this.unseen();
    if (unseen !== null && open.length === 0) {
      const there = model.chosen === unseen;
      this.act({ type: "choose", id: unseen });
      const name = body.nameOf(model, unseen);
      return this.say(there ? `Look at ${name} a moment longer.` : `${name} was not looked at yet: every one is, before you submit.`);
    }
    const enter = enterDoes(model);
    if (enter === "next") return this.leave(model.state.next_url);
    // A second reviewer who confirms is not asked what the first one was.
    const asks = !forced && enter !== "confirm";
    if (asks && body.checksFirst) {
      if (this.checking) return;
      this.checking = true;
      await this.checks.finish(model);
      this.checking = false;
      if (this.model.work !== model.work) return;
    }
    const blocked = body.blocked(model, forced) ?? (asks ? this.checks.unseenError(model, this.screen.findings) : null);
    if (blocked) {
      if (blocked.id !== null) this.act({ type: "choose", id: blocked.id });
      return this.say(blocked.text);
    }
    return this.send(payload(model, "accepted", this.seconds()));
  }

  /** The decision with what was looked at, on an annotator's own task. */
  private withViews(decision: K["payload"]): K["payload"] {
    const { body, model } = this;
    if (body.who === "reviewer" || decision.status !== "accepted") return decision;
    return { ...decision, viewed: body.itemsOf(model.work, this.visits.all()) };
  }

  /** The first of what would be submitted that was not looked at, where the phase asks for that. */
  private unseen(): string | null {
    const { body, model } = this;
    if (model.state.visit !== "all") return null;
    const seen = this.visits.all();
    return body.allIds(model.work).find((id) => !seen.has(id) && body.itemsOf(model.work, new Set([id])).length > 0) ?? null;
  }

  /** Saves the figure as rejected, or as left out or deferred. */
  async dismiss(status: Exclude<Status, "accepted">): Promise<void> {
    if (this.body.asksReason && this.model.remarks.note.trim() === "") {
      this.say("Write the reason first: Enter then saves it.");
      return this.page.focus("reject");
    }
    return this.send(payload(this.model, status, this.seconds()));
  }

  async send(decision: K["payload"]): Promise<void> {
    const { notice, saving } = this.screen;
    if (saving) return;
    // A row that counts down to the next try stays: it would only come and go.
    this.show({ saving: true, notice: notice?.kind === "failed" ? { ...notice, left: notice.left && 0 } : null });
    this.receive(await this.delivery.send(this.csrf, this.withViews(decision)), decision);
  }

  private receive(answer: Saved<K["decision"], K["conflict"]>, sent: K["payload"]): void {
    this.model = { ...this.model, said: "" };
    this.screen = { ...this.screen, saving: answer.kind === "saved", offline: answer.kind === "unreachable" };
    switch (answer.kind) {
      case "saved":
        this.drop();
        this.show({ notice: null });
        this.say("Saved.");
        return this.leave(answer.next === undefined ? this.model.state.next_url : answer.next);
      case "conflict": {
        const { conflict } = answer;
        const clash = conflict ? rowsOf(this.body, conflict).findIndex((row) => row.clash) : -1;
        this.show({ notice: { ...answer, sent, choices: {}, row: Math.max(clash, 0) } });
        return this.page.focus("conflict");
      }
      case "unreachable":
        return this.wait(answer.message, sent);
      case "refused":
      case "signed-out": {
        const signedOut = answer.kind === "signed-out";
        return this.show({ notice: { kind: "failed", message: answer.message, sent, signedOut, left: null } });
      }
    }
  }

  /** Leaves the figure for later, without a decision; a draft stays for then. */
  async skip(): Promise<void> {
    if (this.screen.saving) return;
    const { skip_url, next_url } = this.model.state;
    if (!skip_url) return this.leave(next_url);
    await this.leaveBy(skip_url, "The server did not save it; try again.");
  }

  /** Takes back the annotator's last submission and opens its figure; a draft of this one stays. */
  async undoSubmission(): Promise<void> {
    if (this.screen.saving) return;
    const { undo_url } = this.model.state;
    if (!undo_url) return this.say("A decision is changed by opening its figure; only annotators' submissions are undone.");
    await this.leaveBy(undo_url, "There is nothing to undo, or the server did not answer.");
  }

  /** Posts to an address that answers with the next one, and goes there. */
  private async leaveBy(url: string, failed: string): Promise<void> {
    this.page.flush();
    this.show({ saving: true });
    const answer = await this.post(url, {});
    this.show({ saving: false });
    if (answer === null) return this.say(failed);
    this.leave(typeof answer["next_url"] === "string" ? answer["next_url"] : null);
  }

  /** Posts what is small and may fail: the answer of the server, null on failure. */
  post(url: string, body: object): Promise<Record<string, unknown> | null> {
    return post(url, this.csrf, body);
  }

  private leave(next: string | null): void {
    this.checks.stop();
    this.visits.choose(null);
    this.presence?.end();
    this.screen = { ...this.screen, saving: true, offline: false };
    this.page.go(next ?? this.places.queueUrl);
  }

  // -- saving again after a failure --------------------------------------------------------------------------

  private failed(): Failed<K> | null {
    const { notice } = this.screen;
    return notice?.kind === "failed" ? notice : null;
  }

  /** Whether what was to be saved is still what is on the screen. */
  private unchangedSince(sent: K["payload"]): boolean {
    return sameDecision(this.body, sent, payload(this.model, sent.status, sent.seconds ?? 0));
  }

  /** What was changed since it was to be saved goes out only when the reviewer says so again. */
  private holdRetry(): void {
    const notice = this.failed();
    if (!notice || notice.left === null || this.unchangedSince(notice.sent)) return;
    this.stopWaiting();
    this.screen = { ...this.screen, notice: { ...notice, left: null } };
  }

  /** Another try: of what was sent, or of what has become of it since. */
  async retry(): Promise<void> {
    const notice = this.failed();
    if (!notice || this.screen.saving) return;
    this.stopWaiting();
    if (notice.signedOut) {
      // The form's token went with the old session.
      const loaded = await load<{ csrf: string; reviewer: string }>(this.places.stateUrl);
      if (!loaded.ok) return this.say(loaded.message);
      const { csrf, reviewer } = loaded.state;
      if (reviewer !== this.model.state.reviewer) {
        return this.say(`This work is by ${this.model.state.reviewer}, but ${reviewer} is signed in.`);
      }
      this.csrf = csrf;
    }
    this.page.flush();
    if (this.unchangedSince(notice.sent)) return this.send(notice.sent);
    this.show({ notice: null });
    const { status } = notice.sent;
    return status === "accepted" ? this.accept(true) : this.dismiss(status);
  }

  /** The browser found or lost its connection. */
  connected(online: boolean): void {
    this.show({ offline: !online });
    const notice = this.failed();
    if (online && notice && notice.left !== null) void this.retry();
  }

  /** The server could not be reached: tries again after a while, unless the work has changed since. */
  private wait(message: string, sent: K["payload"]): void {
    const left = this.unchangedSince(sent) ? waitAfter(this.delivery.failures) : null;
    this.show({ notice: { kind: "failed", message, sent, signedOut: false, left } });
    if (left !== null) this.tick();
  }

  private tick(): void {
    this.stopWaiting();
    this.stopWaiting = this.page.after(1000, () => {
      const notice = this.failed();
      if (!notice || notice.left === null) return;
      this.show({ notice: { ...notice, left: notice.left - 1 } });
      if (notice.left > 1) this.tick();
      else void this.retry();
    });
  }
}
