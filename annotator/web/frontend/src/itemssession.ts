/** One figure's types and pairs on the screen: the model, what the screen remembers, what commands do. No markup. */

import { post, save, type Saved } from "./api";
import type { Choices } from "./conflict";
import { sameAsked, SendOnce } from "./delivery";
import { dropDraft } from "./draft";
import { FigureSession, type Failed } from "./figuresession";
import { run } from "./itemscommands";
import { mergedItems, rowsOf } from "./itemsconflict";
import { draftKey, keepDraft, recover, recovered, type ItemsDraftNotice } from "./itemsdraft";
import type { ItemsCommand } from "./itemskeys";
import { chosenPair, enterDoes, isDirty, nameOf, payload, reduce, says, startModel, type ItemsAction, type ItemsModel } from "./itemsmodel";
import type { ItemsConflict, ItemsDecision, ItemsPayload, ItemsState } from "./itemstypes";
import { FIGURE, idOf, KIND, openIds, wordOf } from "./itemswork";
import { Presence } from "./presence";
import type { Guideline, Page, Places } from "./screen";
import type { Finding, Reviewing, Status } from "./types";

type SavedItems = Saved<ItemsDecision, ItemsConflict>;

export interface ItemsConflictNotice {
  kind: "conflict";
  message: string;
  version: number;
  current: ItemsDecision | null;
  conflict: ItemsConflict | null;
  sent: ItemsPayload;
  choices: Choices;
  row: number;
}

export type ItemsNotice =
  | ItemsConflictNotice
  | Failed<ItemsPayload>
  | ItemsDraftNotice
  | { kind: "reject" };

/** findings: in what is on the screen now. zoom: of the image; null fits the pane. */
export interface ItemsScreen {
  sheet: boolean;
  taking: boolean;
  saving: boolean;
  offline: boolean;
  notice: ItemsNotice | null;
  others: readonly Reviewing[];
  guideline: Guideline;
  findings: readonly Finding[];
  zoom: number | null;
}

/** What may have the focus. */
export type ItemsFocus = "item" | "edit" | "pair-note" | "note" | "error-kind" | "flag" | "sheet" | "reject" | "conflict" | "guideline";

/** What the session asks of the page that it runs in. */
export type ItemsPage = Pick<Page, "storage" | "now" | "after" | "seen" | "go" | "here" | "fit"> & {
  focus(what: ItemsFocus): void;
};

/** Milliseconds of quiet after which a changed draft is checked. */
const CHECK_AFTER = 400;

export class ItemsSession extends FigureSession<ItemsModel, ItemsScreen, ItemsPayload> {
  override model: ItemsModel;
  override screen: ItemsScreen;
  private readonly delivery: SendOnce<ItemsPayload, ItemsDecision, ItemsConflict>;
  private readonly presence: Presence;
  private stopChecking: () => void = () => undefined;
  private checks = 0;
  /** Errors that the reviewer was told of, by item and what it then was. */
  private readonly told = new Set<string>();

  constructor(
    state: ItemsState,
    places: Places,
    readonly page: ItemsPage,
    changed: () => void,
  ) {
    super(places, page, changed);
    const fresh = startModel(state);
    const { model, notice, seconds } = recover(page.storage, fresh);
    this.model = model;
    this.csrf = state.csrf || places.csrf;
    this.screen = {
      sheet: false,
      taking: false,
      saving: false,
      offline: false,
      notice,
      others: state.others,
      guideline: { shown: false, text: null },
      findings: state.findings[""] ?? [],
      zoom: null,
    };
    this.clock.add(seconds);
    this.delivery = new SendOnce<ItemsPayload, ItemsDecision, ItemsConflict>(places.saveUrl, state.reviewer, (url, csrf, body) => save(url, csrf, body), says);
    this.presence = new Presence(state.lease_url, () => this.csrf, page, (others) => this.show({ others }));
    this.presence.start();
    if (model !== fresh) this.check();
  }

  run(command: ItemsCommand): void {
    run(this, command);
  }

  act(action: ItemsAction): void {
    const before = this.model;
    // Whoever accepts an item has its findings before their eyes.
    if (action.type === "accept") this.isNew(chosenPair(before)?.id ?? "");
    this.model = reduce(before, action);
    if (before.work !== this.model.work) this.check();
    if (before.work !== this.model.work || before.remarks !== this.model.remarks) {
      this.keep();
      this.holdRetry();
    }
    this.changed();
  }

  /** Asks for the guideline findings in what is on the screen, once the hands rest. */
  private check(): void {
    this.stopChecking();
    this.checks += 1;
    const asked = this.checks;
    this.stopChecking = this.page.after(CHECK_AFTER, () => {
      const draft = payload(this.model, "accepted", 0);
      void post(this.model.state.findings_url, this.csrf, { ...draft }).then((answer) => {
        const findings = answer?.["findings"];
        if (asked === this.checks && Array.isArray(findings)) this.show({ findings: findings as Finding[] });
      });
    });
  }

  private keep(): void {
    if (!isDirty(this.model)) dropDraft(this.page.storage, draftKey(this.model));
    else if (!keepDraft(this.page.storage, this.model, this.seconds(), new Date())) {
      this.model = { ...this.model, said: "This browser keeps no draft: save before you leave." };
    }
  }

  protected override unchangedSince(sent: ItemsPayload): boolean {
    const now = payload(this.model, sent.status, sent.seconds);
    return sameAsked(sent, now) && says(sent, now);
  }

  protected override failures(): number {
    return this.delivery.failures;
  }

  protected override keysOf(conflict: ItemsConflict): readonly string[] {
    return rowsOf(conflict).map(({ key }) => key);
  }

  protected override look(at: "work" | "guideline"): void {
    this.page.focus(at === "work" ? "item" : at);
  }

  protected override flush(): void {
    // Nothing here is told late.
  }

  /** Saves the figure as accepted, unless something has to be seen first. */
  override async settle(forced: boolean): Promise<void> {
    const { model } = this;
    const open = openIds(model.work);
    if (!forced && open.length > 0) {
      const there = model.chosen !== null && open.includes(model.chosen);
      if (there && open.length > 1) return this.act({ type: "step", by: 1, among: "open" });
      const id = there ? (model.chosen as string) : (open[0] as string);
      this.act({ type: "choose", id });
      const how = id === FIGURE ? "A keeps it, X rejects it" : "A accepts it as it stands, 1 – 9 take a word";
      return this.say(`${nameOf(model, id)} is open: ${how}. Ctrl Enter saves all the same.`);
    }
    const wrong = forced ? undefined : this.screen.findings.find(({ severity, item }) => severity === "error" && this.isNew(item));
    if (wrong) {
      const id = wrong.item === "" ? KIND : idOf(wrong.item);
      this.act({ type: "choose", id });
      return this.say(`${nameOf(model, id)}: ${wrong.message}. Ctrl Enter saves all the same.`);
    }
    if (enterDoes(model.state, isDirty(model)) === "next") return this.leave(model.state.next_url);
    return this.send(payload(model, "accepted", this.seconds()));
  }

  /** Whether the reviewer has not yet been told of an error in an item as it is: once told, it is theirs to let stand. */
  private isNew(item: string): boolean {
    const { work, state } = this.model;
    const pair = work.pairs.find(({ id }) => id === item);
    const key = `${item} ${JSON.stringify(pair ? wordOf(state, pair) : work.kind?.value)}`;
    if (this.told.has(key)) return false;
    this.told.add(key);
    return true;
  }

  /** Saves the figure as rejected or put off. */
  override async dismiss(status: Exclude<Status, "accepted">): Promise<void> {
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
    this.page.focus("item");
  }

  /** Saves what the choices make of both decisions. */
  async saveMerge(): Promise<void> {
    const { notice } = this.screen;
    if (notice?.kind !== "conflict" || notice.conflict === null) return;
    const decision = mergedItems(notice.conflict, notice.choices, notice.sent, this.seconds());
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
    this.check();
    this.show({ notice: null });
    this.page.focus("item");
  }

  /** Forgets unsaved work. What was on the screen comes back with undo. */
  discardDraft(): void {
    const { notice } = this.screen;
    if (notice?.kind === "stale") dropDraft(this.page.storage, notice.found.key);
    else if (notice?.kind === "draft") {
      const { work, remarks, chosen } = startModel(this.model.state);
      this.act({ type: "replace", work, remarks, chosen, said: "Draft discarded; undo brings it back." });
      dropDraft(this.page.storage, draftKey(this.model));
    } else return;
    this.show({ notice: null });
    this.page.focus("item");
  }

  protected override async send(body: ItemsPayload): Promise<void> {
    const { notice, saving } = this.screen;
    if (saving) return;
    this.show({ saving: true, notice: notice?.kind === "failed" ? { ...notice, left: notice.left && 0 } : null });
    this.receive(await this.delivery.send(this.csrf, body), body);
  }

  private receive(answer: SavedItems, sent: ItemsPayload): void {
    this.model = { ...this.model, said: "" };
    this.screen = { ...this.screen, saving: answer.kind === "saved", offline: answer.kind === "unreachable" };
    switch (answer.kind) {
      case "saved":
        dropDraft(this.page.storage, draftKey(this.model));
        this.show({ notice: null });
        this.say("Saved.");
        return this.leave(answer.next === undefined ? this.model.state.next_url : answer.next);
      case "conflict": {
        const { message, version, current, conflict } = answer;
        const clash = conflict ? rowsOf(conflict).findIndex((row) => row.clash) : -1;
        const row = Math.max(clash, 0);
        this.show({ notice: { kind: "conflict", message, version, current, conflict, sent, choices: {}, row } });
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

  /** Leaves the figure for later, undecided; a draft stays for then. */
  async skip(): Promise<void> {
    if (this.screen.saving) return;
    this.show({ saving: true });
    const answer = await post(this.model.state.skip_url, this.csrf, {});
    this.show({ saving: false });
    if (answer === null) return this.say("The server did not take note of it; try again.");
    this.leave(typeof answer["next_url"] === "string" ? answer["next_url"] : null);
  }

  private leave(next: string | null): void {
    this.stopChecking();
    this.presence.end();
    this.screen = { ...this.screen, saving: true, offline: false };
    this.page.go(next ?? this.places.queueUrl);
  }
}
