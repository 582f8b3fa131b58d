/** What the sessions of both screens do alike: saying, saving again after a failure, a conflict's lines, guidelines. */

import { load, loadGuideline } from "./api";
import { Clock } from "./clock";
import type { Choices, Pick3 } from "./conflict";
import type { Guideline, Page, Places } from "./screen";
import { waitAfter } from "./delivery";
import type { GuidelineText, Status } from "./types";

const NO_GUIDELINE: GuidelineText = { version: "", blocks: [] };

/** What could not be sent. left: seconds until the next try; 0 while it is under way; null where nobody tries but the reviewer. */
export interface Failed<Sent> {
  kind: "failed";
  message: string;
  sent: Sent;
  signedOut: boolean;
  left: number | null;
}

/** The lines of a conflict between two decisions; conflict: null where nobody's decision holds any more. */
interface Lines {
  kind: "conflict";
  conflict: unknown;
  choices: Choices;
  row: number;
}

interface AnyScreen<Sent> {
  saving: boolean;
  offline: boolean;
  notice: Failed<Sent> | Lines | { kind: "draft" | "stale" | "reject" } | null;
  guideline: Guideline;
}

interface AnyModel {
  said: string;
  state: { reviewer: string };
}

export abstract class FigureSession<Model extends AnyModel, Screen extends AnyScreen<Sent>, Sent extends { status: Status }> {
  abstract model: Model;
  abstract screen: Screen;
  readonly clock = new Clock();
  protected csrf = "";
  private stopWaiting: () => void = () => undefined;

  constructor(
    readonly places: Places,
    private readonly around: Pick<Page, "now" | "after">,
    protected readonly changed: () => void,
  ) {}

  /** Whether what was to be saved is still what is on the screen. */
  protected abstract unchangedSince(sent: Sent): boolean;
  /** How often in a row the server could not be reached. */
  protected abstract failures(): number;
  protected abstract send(body: Sent): Promise<void>;
  /** The keys of a conflict's lines, from the top. */
  protected abstract keysOf(conflict: unknown): readonly string[];
  /** Gives the work, or the guidelines, the focus. */
  protected abstract look(at: "work" | "guideline"): void;
  /** Commits what the mouse has changed and not yet told. */
  protected abstract flush(): void;
  abstract settle(forced: boolean): Promise<void>;
  abstract dismiss(status: Exclude<Status, "accepted">): Promise<void>;

  show(change: Partial<Screen>): void {
    this.screen = { ...this.screen, ...change };
    this.changed();
  }

  say(said: string): void {
    this.model = { ...this.model, said };
    this.changed();
  }

  seconds(): number {
    return this.clock.seconds(this.around.now());
  }

  protected notify(notice: Failed<Sent> | null): void {
    this.show({ notice } as Partial<Screen>);
  }

  private failed(): Failed<Sent> | null {
    const { notice } = this.screen;
    return notice?.kind === "failed" ? notice : null;
  }

  /** What was changed since it was to be saved goes out only when the reviewer says so again. */
  protected holdRetry(): void {
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
        return this.say(`This is the work of ${this.model.state.reviewer}; signed in is ${reviewer}.`);
      }
      this.csrf = csrf;
    }
    this.flush();
    if (this.unchangedSince(notice.sent)) return this.send(notice.sent);
    this.notify(null);
    const { status } = notice.sent;
    return status === "accepted" ? this.settle(true) : this.dismiss(status);
  }

  /** The browser found or lost its connection. */
  connected(online: boolean): void {
    this.show({ offline: !online } as Partial<Screen>);
    const notice = this.failed();
    if (online && notice && notice.left !== null) void this.retry();
  }

  /** The server could not be reached: tries again after a while, unless the work has changed since. */
  protected wait(message: string, sent: Sent): void {
    const left = this.unchangedSince(sent) ? waitAfter(this.failures()) : null;
    this.notify({ kind: "failed", message, sent, signedOut: false, left });
    if (left !== null) this.tick();
  }

  private tick(): void {
    this.stopWaiting();
    this.stopWaiting = this.around.after(1000, () => {
      const notice = this.failed();
      if (!notice || notice.left === null) return;
      this.notify({ ...notice, left: notice.left - 1 });
      if (notice.left > 1) this.tick();
      else void this.retry();
    });
  }

  private lines(): Lines | null {
    const { notice } = this.screen;
    return notice?.kind === "conflict" && notice.conflict !== null ? notice : null;
  }

  stepRow(by: 1 | -1): void {
    const notice = this.lines();
    if (!notice) return;
    const count = this.keysOf(notice.conflict).length;
    if (count > 0) this.show({ notice: { ...notice, row: (notice.row + by + count) % count } } as Partial<Screen>);
  }

  /** Takes one side of a line; of the one that keys work on unless told. */
  pick(side: Pick3, row?: number): void {
    const notice = this.lines();
    if (!notice) return;
    const at = row ?? notice.row;
    const key = this.keysOf(notice.conflict)[at];
    if (key === undefined) return;
    this.show({ notice: { ...notice, row: at, choices: { ...notice.choices, [key]: side } } } as Partial<Screen>);
  }

  /** Shows or hides the campaign's guidelines; they are fetched once. */
  async toggleGuideline(): Promise<void> {
    const { shown, text } = this.screen.guideline;
    this.guideline({ shown: !shown, text });
    this.look(shown ? "work" : "guideline");
    if (shown || (text !== null && text !== "failed")) return;
    const url = this.places.guidelineUrl;
    this.guideline({ shown: true, text: url ? "loading" : NO_GUIDELINE });
    if (!url) return;
    const loaded = await loadGuideline(url);
    this.guideline({ ...this.screen.guideline, text: loaded ?? "failed" });
  }

  private guideline(guideline: Guideline): void {
    this.show({ guideline } as Partial<Screen>);
  }
}
