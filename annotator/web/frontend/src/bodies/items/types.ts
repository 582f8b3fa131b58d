/** What the server sends and takes of a figure's types and pairs: the JSON of /api/figures/<id>/items. */

import type { Decision, FigureBasics, Payload } from "../../wire/types";
import type * as server from "../../wire/server";

export type {
  AnswerWord,
  ItemPart,
  ItemsComparison as ItemsConflict,
  KindItem,
  KindValue,
  PairItem,
  PairReading,
  PairValue,
  PairWord,
  QAKind,
  Question,
  Verdict,
} from "../../wire/server";

/** answers: on an annotator's own task only. */
export type ItemsDecision = Decision<server.ItemsView> & Partial<Pick<server.OwnItemsView, "answers">>;

export type ItemsState = FigureBasics<ItemsDecision, server.ItemsState> &
  Pick<server.ItemsScreenParts, "subfigures_url" | "findings"> &
  Pick<server.ItemsState, "reasons">;

/** answers: on an annotator's own task only. */
export type ItemsPayload = Payload<server.ItemsDraft> & Partial<Pick<server.OwnItemsDraft, "answers">>;
