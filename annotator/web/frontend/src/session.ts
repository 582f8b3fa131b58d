/** One figure on the screen: the model, what the screen itself remembers, and what commands do. No markup here. */

import { post, type Saved } from "./api";
import { blindPost } from "./blind";
import { mergedDecision, repeatedLabel, rowsOf } from "./conflict";
import { Delivery, sameDecision } from "./delivery";
import { draftKey, dropDraft, keepDraft } from "./draft";
import { run } from "./commands";
import { enterDoes } from "./enter";
import { FigureSession } from "./figuresession";
import type { Command } from "./keys";
import { isDirty, reduce, startModel, type Action, type Model } from "./model";
import { gate, payload } from "./payload";
import { Presence } from "./presence";
import { recover, recovered } from "./recovery";
import type { Page, Places, Screen } from "./screen";
import type { Box, Conflict, FigureState, Payload, Status } from "./types";
import { FIGURE } from "./work";

export class Session extends FigureSession<Model, Screen, Payload> {
  override model: Model;
  override screen: Screen;
  private readonly delivery: Delivery;
  private readonly presence: Presence | null = null;

  constructor(
    state: FigureState,
    places: Places,
    readonly page: Page,
    changed: () => void,
  ) {
    super(places, page, changed);
    this.model = startModel(state);
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
      notice: null,
      others: state.others ?? [],
      guideline: { shown: false, text: null },
      moving: null,
      zoom: null,
    };
    const post = state.blind && blindPost(state.blind, state.reviewer);
    this.delivery = new Delivery(places.saveUrl, state.reviewer, post);
    const { model, notice, seconds } = recover(page.storage, this.model);
    this.model = model;
    this.screen = { ...this.screen, notice };
    this.clock.add(seconds);
    if (state.lease_url) {
      this.presence = new Presence(state.lease_url, () => this.csrf, page, (others) => this.show({ others }));
      this.presence.start();
    }
  }

  act(action: Action): void {
    const before = this.model;
    this.model = reduce(before, action);
    if (before.work !== this.model.work || before.remarks !== this.model.remarks) {
      this.keep();
      this.holdRetry();
    }
    this.changed();
  }

  protected override unchangedSince(sent: Payload): boolean {
    return sameDecision(sent, payload(this.model, sent.status, sent.seconds));
  }

  protected override failures(): number {
    return this.delivery.failures;
  }

  protected override keysOf(conflict: Conflict): readonly string[] {
    return rowsOf(conflict).map(({ key }) => key);
  }

  protected override look(at: "work" | "guideline"): void {
    this.page.focus(at === "work" ? "caption" : at);
  }

  protected override flush(): void {
    this.page.flush();
  }

  private keep(): void {
    if (!isDirty(this.model)) dropDraft(this.page.storage, draftKey(this.model));
    else if (!keepDraft(this.page.storage, this.model, this.seconds(), new Date())) {
      this.model = { ...this.model, said: "This browser keeps no draft: save before you leave." };
    }
  }

  /** The form's token, as it is now. */
  seal(): string {
    return this.csrf;
  }

  run(command: Command): void {
    run(this, command);
  }

  scaled(factor: number): number {
    return Math.min(Math.max((this.screen.zoom ?? this.page.fit()) * factor, 0.05), 16);
  }

  drawn(id: string, box: Box): void {
    this.show({ drawing: false, moving: null });
    this.act({ type: "add", id, box });
  }

  boxChanged(id: string, box: Box): void {
    this.screen = { ...this.screen, moving: null };
    this.act({ type: "box", id, box });
  }

  /** Saves the figure as accepted, unless something has to be seen first. */
  override async settle(forced: boolean): Promise<void> {
    this.page.flush();
    const { model } = this;
    const held = gate(model, forced);
    if (held.kind === "ready") {
      if (enterDoes(model, isDirty(model)) === "next") return this.leave(model.state.next_url);
      return this.send(payload(model, "accepted", this.seconds()));
    }
    if (held.kind === "open") {
      const there = held.id === model.chosen;
      if (there && held.count > 1) return this.act({ type: "step", by: 1, among: "open" });
      this.act({ type: "choose", id: held.id });
      if (model.state.blind) return this.say(toWrite(there, held.count));
      const what = held.id === FIGURE ? "The figure is open: A keeps it, X rejects it" : "Still open: A accepts, R rejects";
      return this.say(`${there ? what : `${held.count} open: look here first`}. Ctrl Enter saves all the same.`);
    }
    if (held.kind === "repeated") {
      this.act({ type: "choose", id: held.id });
      return this.say(`Two subfigures are labelled ${held.label}: L relabels this one, R rejects it.`);
    }
    return this.say("No subfigure would be saved: Ctrl Enter saves the figure empty, X rejects it.");
  }

  /** Saves the figure as rejected or put off. */
  override async dismiss(status: Exclude<Status, "accepted">): Promise<void> {
    this.page.flush();
    return this.send(payload(this.model, status, this.seconds()));
  }

  /** Sends one's own work again, over the version that came between. */
  async keepMine(): Promise<void> {
    const { notice } = this.screen;
    if (notice?.kind !== "conflict") return;
    dropDraft(this.page.storage, draftKey(this.model));
    this.act({ type: "version", version: notice.version });
    this.keep();
    return this.send(payload(this.model, notice.sent.status, this.seconds()));
  }

  /** Leaves the colleague's decision as it is, and shows it. */
  takeTheirs(): void {
    const { notice } = this.screen;
    if (notice?.kind !== "conflict") return;
    // Nobody's decision holds: the figure is loaded anew, and the draft is offered there.
    if (notice.current === null) return this.page.go(this.page.here());
    dropDraft(this.page.storage, draftKey(this.model));
    this.act({ type: "theirs", decision: notice.current, version: notice.version });
    this.show({ notice: null });
    this.page.focus("caption");
  }

  /** Saves what the choices make of both decisions. */
  async saveMerge(): Promise<void> {
    const { notice } = this.screen;
    if (notice?.kind !== "conflict" || notice.conflict === null) return;
    const decision = mergedDecision(notice.conflict, notice.choices, notice.sent, this.seconds());
    const label = repeatedLabel(decision);
    if (label !== null) return this.say(`Two subfigures would be labelled ${label}: take one side's of one of them.`);
    dropDraft(this.page.storage, draftKey(this.model));
    // First onto the screen: whatever becomes of the request, the merge is kept.
    this.act({ type: "merged", decision });
    return this.send(decision);
  }

  /** Puts unsaved work of before another decision back: saving it replaces that decision. */
  restoreDraft(): void {
    const { notice } = this.screen;
    if (notice?.kind !== "stale" || notice.found.kind === "replaced") return;
    const { draft, key } = notice.found;
    this.clock.add(draft.seconds);
    this.model = recovered(this.model, draft);
    dropDraft(this.page.storage, key);
    this.keep();
    this.show({ notice: null });
    this.page.focus("caption");
  }

  /** Forgets unsaved work. What was on the screen comes back with undo. */
  discardDraft(): void {
    const { notice } = this.screen;
    const { storage } = this.page;
    if (notice?.kind === "stale") dropDraft(storage, notice.found.key);
    else if (notice?.kind === "draft") {
      const fresh = startModel(this.model.state);
      const said = "Draft discarded; undo brings it back.";
      const { work, remarks, chosen } = fresh;
      this.model = reduce(this.model, { type: "replace", work, remarks, chosen, said });
      dropDraft(storage, draftKey(this.model));
    } else return;
    this.show({ notice: null });
    this.page.focus("caption");
  }

  protected override async send(body: Payload): Promise<void> {
    const { notice, saving } = this.screen;
    if (saving) return;
    // A row that counts down to the next try stays: it would only come and go.
    this.show({ saving: true, notice: notice?.kind === "failed" ? { ...notice, left: notice.left && 0 } : null });
    this.receive(await this.delivery.send(this.csrf, body), body);
  }

  private receive(answer: Saved, sent: Payload): void {
    this.model = { ...this.model, said: "" };
    this.screen = { ...this.screen, saving: answer.kind === "saved", offline: answer.kind === "unreachable" };
    switch (answer.kind) {
      case "saved":
        dropDraft(this.page.storage, draftKey(this.model));
        this.show({ notice: null });
        this.say("Saved.");
        return this.leave(answer.next === undefined ? this.model.state.next_url : answer.next);
      case "conflict":
        return this.overtaken(answer, sent);
      case "unreachable":
        return this.wait(answer.message, sent);
      case "refused":
      case "signed-out": {
        const signedOut = answer.kind === "signed-out";
        return this.show({ notice: { kind: "failed", message: answer.message, sent, signedOut, left: null } });
      }
    }
  }

  private overtaken({ message, version, current, conflict }: Extract<Saved, { kind: "conflict" }>, sent: Payload): void {
    const clash = conflict ? rowsOf(conflict).findIndex((row) => row.clash) : -1;
    const row = Math.max(clash, 0);
    this.show({ notice: { kind: "conflict", message, version, current, conflict, sent, choices: {}, row } });
    this.page.focus("conflict");
  }

  /** Leaves the figure for later, undecided; a draft stays for then. */
  async skip(): Promise<void> {
    const { skip_url, blind, next_url } = this.model.state;
    if (blind && !this.screen.saving) return this.leave(next_url);
    if (!skip_url || this.screen.saving) return;
    this.page.flush();
    this.show({ saving: true });
    const answer = await post(skip_url, this.csrf, {});
    this.show({ saving: false });
    if (answer === null) return this.say("The server did not take note of it; try again.");
    this.leave(typeof answer["next_url"] === "string" ? answer["next_url"] : null);
  }

  private leave(next: string | null): void {
    this.presence?.end();
    this.screen = { ...this.screen, saving: true, offline: false };
    this.page.go(next ?? this.places.queueUrl);
  }
}

/** Why a blind figure is not saved yet. */
function toWrite(there: boolean, count: number): string {
  if (there) return "No words are marked yet: 0 says that it has none. Ctrl Enter saves all the same.";
  return `${count} to write: this one next. Ctrl Enter saves all the same.`;
}
