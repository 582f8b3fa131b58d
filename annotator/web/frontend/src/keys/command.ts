/** What a key or a button of the screen can ask for. */

import type { ItemsAction } from "../bodies/items/actions";
import type { SubfigureAction } from "../bodies/subfigures/actions";
import type { CommonAction, Kind } from "../session/kind";

export type Command =
  | { do: "act"; action: CommonAction<Kind> | SubfigureAction | ItemsAction }
  | { do: "save"; forced: boolean }
  | { do: "reject-figure" | "skip" | "undo-submission" | "taking" | "second" | "history" | "other-screen" | "guideline" | "comments" | "sheet" | "escape" | "fit" }
  /** Gives a field the focus, or the figure. */
  | { do: "note" | "error-kind" | "flag" | "pair-note" | "label" | "edit" | "image" | "home" }
  | { do: "layers" | "pan" }
  /** The next drag draws a box; several: so do those after it. */
  | { do: "draw"; several: boolean }
  | { do: "layer"; annotator: number }
  | { do: "zoom"; by: 1 | -1 }
  | { do: "restore-draft" | "discard-draft" | "keep-mine" | "take-theirs" | "save-merge" }
  | { do: "conflict-row"; by: 1 | -1 }
  | { do: "conflict-pick"; side: "mine" | "theirs" | "merged" }
  /** Nothing happens here: the key belongs to what the screen does not allow. */
  | { do: "locked" }
  /** Nothing happens, and no other listener sees the key. The browser's own default stays. */
  | { do: "shield" };
