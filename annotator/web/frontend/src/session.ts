/** One figure on the screen: the model, what the screen itself remembers, and what commands do. No markup here. */

import { load, save, type Saved } from "./api";
import { Clock } from "./clock";
import { diff, type Side } from "./diff";
import { dropDrafts, findDraft, keepDraft } from "./draft";
import type { Command } from "./keys";
import { isDirty, reduce, startModel, type Action, type Model } from "./model";
import { gate, payload } from "./payload";
import type { Box, Decision, FigureState, Payload, Status } from "./types";
import { FIGURE } from "./work";

export type Notice =
  | { kind: "conflict"; message: string; lines: string[]; current: Decision & { version: number }; sent: Payload }
  | { kind: "failed"; message: string; sent: Payload; signedOut: boolean }
  | { kind: "draft"; saved_at: string }
  | { kind: "reject" };

export interface Screen {
  pane: "caption" | "image";
  layers: readonly boolean[];
  drawing: boolean;
  panning: boolean;
  sheet: boolean;
  saving: boolean;
  offline: boolean;
  notice: Notice | null;
  moving: { id: string; box: Box } | null;
  /** CSS pixels a pixel of the image; null fits the pane. */
  zoom: number | null;
}

export interface Places {
  stateUrl: string;
  saveUrl: string;
  queueUrl: string;
  csrf: string;
}

/** What the session asks of the page that it runs in. */
export interface Page {
  storage: Storage;
  now(): number;
  go(url: string): void;
  /** Commits what the mouse has changed and not yet told. */
  flush(): void;
  focus(what: "caption" | "image" | "label" | "note" | "sheet" | "reject"): void;
  /** The scale at which the image fits its pane. */
  fit(): number;
}

export class Session {
  model: Model;
  screen: Screen;
  readonly clock: Clock;
  private csrf: string;

  constructor(
    state: FigureState,
    private readonly places: Places,
    private readonly page: Page,
    private readonly changed: () => void,
  ) {
    this.model = startModel(state);
    this.csrf = state.csrf || places.csrf;
    this.screen = {
      pane: "caption",
      layers: state.annotators.map(() => true),
      drawing: false,
      panning: false,
      sheet: false,
      saving: false,
      offline: false,
      notice: null,
      moving: null,
      zoom: null,
    };
    this.clock = new Clock();
    this.recover();
  }

  private recover(): void {
    const draft = findDraft(this.page.storage, this.model);
    if (!draft) return;
    this.clock.add(draft.seconds);
    const said = "Unsaved work recovered.";
    this.model = reduce(this.model, { type: "recover", work: draft.work, note: draft.note, chosen: draft.chosen, said });
    // What was recovered is where undo ends: Discard is the way back.
    this.model = { ...this.model, past: [] };
    if (isDirty(this.model)) this.screen = { ...this.screen, notice: { kind: "draft", saved_at: draft.saved_at } };
    else dropDrafts(this.page.storage, this.model);
  }

  show(change: Partial<Screen>): void {
    this.screen = { ...this.screen, ...change };
    this.changed();
  }

  say(said: string): void {
    this.model = { ...this.model, said };
    this.changed();
  }

  act(action: Action): void {
    const before = this.model;
    this.model = reduce(before, action);
    if (before.work !== this.model.work || before.note !== this.model.note) this.keep();
    this.changed();
  }

  private keep(): void {
    if (!isDirty(this.model)) dropDrafts(this.page.storage, this.model);
    else if (!keepDraft(this.page.storage, this.model, this.seconds(), new Date())) {
      this.model = { ...this.model, said: "This browser keeps no draft: save before you leave." };
    }
  }

  seconds(): number {
    return this.clock.seconds(this.page.now());
  }

  run(command: Command): void {
    const { screen, page } = this;
    switch (command.do) {
      case "act":
        return this.act(command.action);
      case "save":
        if (screen.notice?.kind === "conflict") return this.say("First M keeps yours or T takes theirs.");
        if (screen.notice?.kind === "failed") return void this.retry();
        return void this.settle(command.forced);
      case "draw":
        this.show({ drawing: !screen.drawing, pane: "image" });
        this.say(this.screen.drawing ? "Drag over the image to draw a box; Esc stops." : "");
        return;
      case "reject-figure":
        this.show({ notice: { kind: "reject" } });
        return page.focus("reject");
      case "relabel":
        return page.focus("label");
      case "note":
        return page.focus("note");
      case "sheet":
        this.show({ sheet: !screen.sheet });
        return page.focus(this.screen.sheet ? "sheet" : "caption");
      case "caption":
      case "image":
        this.show({ pane: command.do });
        return page.focus(command.do);
      case "escape":
        return this.escape();
      case "fit":
        return this.show({ zoom: null });
      case "zoom":
        return this.show({ zoom: this.scaled(command.by === 1 ? 1.25 : 0.8) });
      case "layers": {
        const on = !screen.layers.some(Boolean);
        this.show({ layers: screen.layers.map(() => on) });
        return this.say(on ? "Annotators' boxes shown." : "Annotators' boxes hidden.");
      }
      case "layer":
        return this.show({ layers: screen.layers.map((on, i) => (i === command.annotator ? !on : on)) });
      case "pan":
        return this.show({ panning: true });
      case "keep-mine":
        return void this.keepMine();
      case "take-theirs":
        return this.takeTheirs();
      case "shield":
        return;
    }
  }

  scaled(factor: number): number {
    return Math.min(Math.max((this.screen.zoom ?? this.page.fit()) * factor, 0.05), 16);
  }

  private escape(): void {
    const { screen } = this;
    if (screen.sheet) this.show({ sheet: false });
    else if (screen.notice?.kind === "reject" || screen.notice?.kind === "draft") this.show({ notice: null });
    else if (screen.drawing) this.show({ drawing: false });
    else if (this.model.anchor !== null) this.act({ type: "cursor", to: this.model.cursor });
    this.show({ pane: "caption" });
    this.page.focus("caption");
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
  async settle(forced: boolean): Promise<void> {
    this.page.flush();
    const { model } = this;
    const held = gate(model, forced);
    if (held.kind === "ready") {
      if (model.state.decision?.status === "accepted" && !isDirty(model)) return this.leave(model.state.next_url);
      return this.send(payload(model, "accepted", this.seconds()));
    }
    if (held.kind === "open") {
      const there = held.id === model.chosen;
      if (there && held.count > 1) return this.act({ type: "step", by: 1, among: "open" });
      this.act({ type: "choose", id: held.id });
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
  async dismiss(status: Exclude<Status, "accepted">): Promise<void> {
    this.page.flush();
    return this.send(payload(this.model, status, this.seconds()));
  }

  async retry(): Promise<void> {
    const { notice } = this.screen;
    if (notice?.kind !== "failed") return;
    if (notice.signedOut) {
      // The form's token went with the old session.
      const loaded = await load(this.places.stateUrl);
      if (!loaded.ok) return this.say(loaded.message);
      this.csrf = loaded.state.csrf;
    }
    const { status } = notice.sent;
    return this.send(payload(this.model, status, this.seconds()));
  }

  /** Sends one's own work again, over the version that came between. */
  async keepMine(): Promise<void> {
    const { notice } = this.screen;
    if (notice?.kind !== "conflict") return;
    const status = notice.sent.status;
    dropDrafts(this.page.storage, this.model);
    this.act({ type: "version", version: notice.current.version });
    this.keep();
    return this.send(payload(this.model, status, this.seconds()));
  }

  takeTheirs(): void {
    const { notice } = this.screen;
    if (notice?.kind !== "conflict") return;
    const { current } = notice;
    dropDrafts(this.page.storage, this.model);
    this.act({ type: "theirs", decision: current, version: current.version });
    this.show({ notice: null });
    this.page.focus("caption");
  }

  discardDraft(): void {
    dropDrafts(this.page.storage, this.model);
    this.model = { ...startModel(this.model.state), said: "Draft discarded." };
    this.show({ notice: null });
    this.page.focus("caption");
  }

  private async send(body: Payload): Promise<void> {
    if (this.screen.saving) return;
    this.show({ saving: true, notice: null });
    const answer = await save(this.places.saveUrl, this.csrf, body);
    this.receive(answer, body);
  }

  private receive(answer: Saved, sent: Payload): void {
    const offline = answer.kind === "offline";
    this.model = { ...this.model, said: "" };
    this.screen = { ...this.screen, saving: answer.kind === "saved", offline };
    switch (answer.kind) {
      case "saved":
        dropDrafts(this.page.storage, this.model);
        this.say("Saved.");
        return this.leave(answer.next);
      case "conflict": {
        const mine: Side = sent;
        const lines = diff(mine, answer.current);
        return this.show({
          notice: { kind: "conflict", message: answer.message, lines, current: answer.current, sent },
        });
      }
      case "refused":
      case "signed-out":
      case "offline":
        return this.show({
          notice: { kind: "failed", message: answer.message, sent, signedOut: answer.kind === "signed-out" },
        });
    }
  }

  private leave(next: string | null): void {
    this.screen = { ...this.screen, saving: true, offline: false };
    this.page.go(next ?? this.places.queueUrl);
  }
}
