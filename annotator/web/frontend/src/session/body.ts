/** What a body of the screen (subfigures, types and pairs, blind texts) brings to the session that all share. */

import type { Saved } from "../wire/api";
import type { Decided, Finding, Part, Sent } from "../wire/types";
import type { Command } from "../keys/command";
import type { Group, ScreenName, Who } from "../keys/keymap";
import type { CommonAction, Kind } from "./kind";
import type { Remarks } from "./remarks";
import type { Focus, Screen } from "./screen";

export interface Snapshot<K extends Kind> {
  work: K["work"];
  chosen: string | null;
  cursor: number;
  /** Only where the step changed them too: what is typed has an undo of its own, in its field. */
  remarks?: Remarks;
}

/** cursor, anchor: places of tokens or types; anchor is where an extended selection began. said: the last change in words. */
export interface Model<K extends Kind> {
  body: Body<K>;
  state: K["state"];
  version: number;
  work: K["work"];
  start: K["work"];
  chosen: string | null;
  cursor: number;
  anchor: number | null;
  remarks: Remarks;
  startRemarks: Remarks;
  past: readonly Snapshot<K>[];
  future: readonly Snapshot<K>[];
  /** What the last step of the history was about: steps of one tag are one. */
  tag: string;
  said: string;
}

/** Why a save has to wait, and what to choose meanwhile. */
export interface Blocked {
  id: string | null;
  text: string;
}

/**
 * What Enter does now.
 * open: on to what is open elsewhere. here: nothing, the chosen one waits for a decision. held: nothing, and says why.
 * confirm: saves what another has, as the second reviewer. next: saves nothing and goes on. save: saves and goes on.
 */
export type Enter = "open" | "here" | "held" | "confirm" | "next" | "save";

/** What the footer's button says on most screens. */
export const BUTTONS: Omit<Record<Enter, string>, "here"> = {
  open: "Next conflict",
  held: "Save, next",
  confirm: "Confirm, next",
  next: "Next",
  save: "Save, next",
};

/** What is said where nothing is open and nothing decided: one annotator alone has nobody to agree with. */
export const nothingOpen = (annotators: number): string => (annotators > 1 ? "All agree: Enter saves." : "Nothing is open: Enter saves.");

/** What is said of a figure that was reopened, and starts from the decision before. */
export const startsFrom = ({ reviewer }: Decided): string => `Starts from ${reviewer}'s decision: Enter saves.`;

/** The part of a payload that one body alone has, with the annotators that it rests on. */
export type Content<K extends Kind> = Omit<K["payload"], Exclude<keyof Sent, "based_on">>;

/** How unsaved work is stored and read again. */
export interface DraftRules<K extends Kind> {
  prefix: string;
  /** What the stored work points into; it is stored beside it. */
  mark(state: K["state"]): Record<string, unknown>;
  /** Whether stored JSON is such work. fits: whether it is for this caption and image. */
  isWork(draft: Record<string, unknown>, state: K["state"], fits: boolean): boolean;
  /** Whether the draft belongs to what the figure asks now. */
  belongs(draft: Record<string, unknown>, state: K["state"]): boolean;
  /** The stored work, put on the figure as it is now. */
  refit(draft: Record<string, unknown>, state: K["state"]): K["work"];
  /** Why work of an earlier caption or image cannot be restored. */
  misfit: string;
}

/** What a command does: first to the model, then to the screen; then what is said, and what gets the focus. */
export interface Effect<K extends Kind> {
  act?: K["action"];
  show?: Partial<Screen<K>>;
  say?: string;
  focus?: Focus;
}

export interface Body<K extends Kind> {
  name: ScreenName;
  /** A reviewer's screen, or an annotator's own task. */
  who: Who;
  /** Whether a figure is rejected or left out for a reason only, which the server asks for too. */
  asksReason: boolean;
  /** What has the focus while the keys work on the figure. */
  home: "caption" | "item";
  draft: DraftRules<K>;
  /** Whether a save waits for the guideline checks of the work as it is, not as it was at the last pause. */
  checksFirst: boolean;
  /** What a guideline finding is shown with, once before a save; null where the save does not stop for it. findings: all. */
  stopsAt(model: Model<K>, finding: Finding, findings: readonly Finding[]): string | null;
  startWork(state: K["state"]): K["work"];
  /** A decision as work. */
  workFrom(state: K["state"], decision: K["decision"] | K["payload"]): K["work"];
  /** Ids of all that can be chosen, and of what is still open, in the order of the screen. */
  allIds(work: K["work"]): string[];
  openIds(work: K["work"]): string[];
  sameWork(a: K["work"], b: K["work"]): boolean;
  /** Where keys work within a thing once it is chosen: a token or a type, by its place. */
  cursorAt(model: Model<K>, id: string): number;
  reduce(model: Model<K>, action: K["action"]): Model<K>;
  /** Why an action is not possible here at all; null where it is. */
  refuses(action: CommonAction<K> | K["action"]): string | null;
  /** What the payload holds of this body: `accepted` false for a figure that is rejected or put off. */
  content(model: Model<K>, accepted: boolean): Content<K>;
  sameContent(a: K["payload"], b: K["payload"] | K["decision"]): boolean;
  /** What keeps even complete work from being saved. forced: Ctrl Enter. */
  blocked(model: Model<K>, forced: boolean): Blocked | null;
  /** The id of what a guideline finding is on. */
  idOfFinding(model: Model<K>, item: string): string | null;
  /** The item that the chosen id stands for, as guideline findings name it; null for none. */
  itemOf(id: string): string | null;
  /** An item as it stands, as text: a finding is new again once this changes. */
  itemText(model: Model<K>, item: string): string;
  /** What the server calls these ids, of what would be submitted: labels of subfigures, or ids of items. */
  itemsOf(work: K["work"], ids: ReadonlySet<string>): string[];
  /** Why nothing is decided on the figure at all; null where something is. */
  closed?(state: K["state"]): string | null;
  /** Whether the figure has nothing that could be saved, whatever one does. */
  nothingToSave?(work: K["work"]): boolean;
  /** Groups of keys for what this figure does not have. */
  absent?(work: K["work"]): Group[];
  /** How a decision is called that replaces one's own. */
  nameOfDecision(decision: K["decision"]): string;
  /** How a chosen thing is called in a sentence. */
  nameOf(model: Model<K>, id: string | null): string;
  greeting(model: Model<K>): string;
  /** Words of the footer's button. */
  buttons: Readonly<Record<Enter, string>>;
  noneOpen: string;
  /** What is said when Enter finds open work. here: the chosen thing is the only one. */
  openText(model: Model<K>, id: string, here: boolean, count: number): string;
  /** How another reviewer's decision differs, a line each. */
  diff(mine: K["payload"], theirs: K["decision"]): string[];
  /** The parts of a conflict, and which of them differ. */
  parts(conflict: K["conflict"]): { part: Part; differs: boolean }[];
  merge(conflict: K["conflict"], pick: <T>(part: Part<T>) => T | null): Omit<Content<K>, "based_on">;
  /** Why a merge cannot be saved; null where it can. */
  refusesMerge(merged: K["payload"]): string | null;
  /** Sends a decision. */
  post(state: K["state"]): (url: string, csrf: string, body: K["payload"]) => Promise<Saved<K["decision"], K["conflict"]>>;
  /** Another screen of the same figure; none: what is said where it has none. */
  other(state: K["state"]): { url: string | null; name: string; hint: string; none: string };
  /** What a command does that only this body knows. */
  run(model: Model<K>, screen: Screen<K>, command: Command): Effect<K>;
}
