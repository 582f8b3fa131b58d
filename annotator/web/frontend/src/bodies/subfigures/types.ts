/** What the server sends and takes of a figure's subfigures: the JSON of /api/figures/<id>. */

import type { Decision as Decided, FigureBasics, Payload as Sent, Without } from "../../wire/types";
import type * as server from "../../wire/server";

export type {
  Opinion as Annotation,
  Panel as Subfigure,
  Part as ConflictPart,
  Proposal as Candidate,
  SubfiguresComparison as Conflict,
  Token,
} from "../../wire/server";

/** Pixels x0 y0 x1 y1 of the stored image. */
export type Box = server.Panel["box"];

export type Decision = Without<Decided<server.SubfiguresView>, "seconds" | "restored_from">;

/** What the blind mode adds to a figure's state. */
export type Blind = Pick<server.BlindScreen, "place" | "total" | "source" | "told"> & {
  given: readonly Pick<server.BlindBox, "label" | "box">[];
};

/** blind: where subfigures are given, and the reviewer writes their texts blind. */
export type FigureState = Without<FigureBasics<Decision, server.FigureState>, "reference_panels"> &
  Partial<Pick<server.SubfiguresScreenParts, "items_url">> & { image_url: string; blind?: Blind };

export type Payload = Sent<server.SubfiguresDraft>;
