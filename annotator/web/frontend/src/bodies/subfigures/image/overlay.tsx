/** What is drawn over the figure: annotators' boxes, a colleague's, all tags. Nothing here takes the mouse. */

import { useMemo } from "preact/hooks";
import { rowsOf } from "../../../session/conflict";
import type { Screen } from "../../../session/screen";
import type { Session } from "../../../session/session";
import { colourOf, dashOf, inkOn } from "../colours";
import type { Subfigures } from "../model";
import type { Box, ConflictPart } from "../types";
import { candidateOf, readingOf, type Panel } from "../work";
import { placeTag, type Field, type Ink, type Size, type Spot } from "./ink";

/** Pixels of the screen around the figure, in which tags may stand. */
export const MARGIN = 24;

export function Overlay({ session, scale, ink }: { session: Session<Subfigures>; scale: number; ink: Ink | null }) {
  const { model, screen, body } = session;
  const { state, work } = model;
  const chosen = work.panels.find((panel) => panel.id === model.chosen);
  const mine = new Set<Box>();
  if (chosen) {
    for (const { key } of state.annotators) {
      const reading = readingOf(state, chosen, key);
      if (reading) mine.add(reading.box);
    }
  }
  const theirs = state.annotations.flatMap((annotation) => {
    const at = state.annotators.findIndex(({ key }) => key === annotation.annotator);
    if (!screen.layers[at]) return [];
    return annotation.subfigures.map((subfigure) => ({ ...subfigure, at, near: mine.has(subfigure.box) }));
  });
  const compared = comparedBoxes(session);
  const percent = (value: number, whole: number) => `${(value / whole) * 100}%`;
  const near = theirs.filter((each) => each.near);
  const { tags, whose } = useMemo(() => {
    const wide = body.who === "reviewer" ? 34 : 20 + 7 * PREDICTED.length;
    const shown = { ...model, near: near.length, wide, theirs: theirs.map(({ box }) => box) };
    return places(shown, screen.moving, { width: state.width, height: state.height, ink }, scale);
  }, [work.panels, screen.moving, screen.layers, near.length, model.chosen, ink, scale]);
  return (
    <div class={`overlay${chosen ? " focused" : ""}`} aria-hidden="true">
      <svg viewBox={`0 0 ${state.width} ${state.height}`} preserveAspectRatio="none">
        {theirs.map(({ label, box: [x0, y0, x1, y1], at, near }, i) => (
          <g key={i} class={near ? "theirs near" : "theirs"}>
            <rect class="halo" x={x0} y={y0} width={x1 - x0} height={y1 - y0} />
            <rect
              x={x0}
              y={y0}
              width={x1 - x0}
              height={y1 - y0}
              stroke={colourOf(state, label)}
              stroke-dasharray={dashOf(at)}
            />
          </g>
        ))}
        {work.panels.map(({ id, box, review }) => {
          const [x0, y0, x1, y1] = screen.moving?.id === id ? screen.moving.box : box;
          if (review !== "rejected" && id !== model.chosen) return null;
          const name = review === "rejected" ? "gone" : "chosen";
          return <rect key={id} class={name} x={x0} y={y0} width={x1 - x0} height={y1 - y0} />;
        })}
        {tags.map(({ panel, spot }) => {
          if (!spot.away) return null;
          const [from, to] = leaderOf(spot.box, screen.moving?.id === panel.id ? screen.moving.box : panel.box);
          return <line key={panel.id} class="leader" x1={from[0]} y1={from[1]} x2={to[0]} y2={to[1]} stroke={colourOf(state, panel.label)} />;
        })}
        {compared.map(([side, [x0, y0, x1, y1]]) => (
          <rect key={side} class={`compared ${side}`} x={x0} y={y0} width={x1 - x0} height={y1 - y0} />
        ))}
      </svg>
      {tags.map(({ panel, spot: { box: [x0, y0], size } }) => {
        const colour = colourOf(state, panel.label);
        const candidate = candidateOf(state, panel);
        const classes = ["aj-tag", panel.review, panel.id === model.chosen && "chosen", SIZES[size]];
        return (
          <span
            key={panel.id}
            class={classes.filter(Boolean).join(" ")}
            style={{
              left: percent(x0, state.width),
              top: percent(y0, state.height),
              background: panel.review === "rejected" ? undefined : colour,
              color: panel.review === "rejected" ? undefined : inkOn(colour),
            }}
          >
            {panel.review === "open" && size < 2 ? "◆ " : ""}
            {panel.label}
            {panel.review === "open" && candidate && size === 0 ? ` ${candidate.supporters.length}/${state.annotators.length}` : ""}
          </span>
        );
      })}
      {whose && (
        <span class="whose-boxes" style={{ left: percent(whose[0], state.width), top: percent(whose[1], state.height) }}>
          {near.map(({ label, at }) => (
            <span key={at} class="note-tag" style={{ borderColor: colourOf(state, label) }}>
              {body.who === "reviewer" ? `${label}·${at + 1}` : `${label} ${PREDICTED}`}
            </span>
          ))}
        </span>
      )}
    </div>
  );
}

/** How the one voice is called that an annotator sees on their own task. */
const PREDICTED = "predicted";

/** Classes of a tag in its sizes: whole, without its count, and as small as can be. */
const SIZES = ["", "short", "tiny"] as const;

interface Placed {
  tags: { panel: Panel; spot: Spot }[];
  /** Where it is told whose the boxes of the chosen panel are; null where none are shown, or that would cover it. */
  whose: Box | null;
}

/** near: how many boxes of the chosen panel are shown; wide: pixels of the name of each; theirs: all of annotators' that are. */
interface Shown {
  work: { panels: readonly Panel[] };
  chosen: string | null;
  near: number;
  wide: number;
  theirs: readonly Box[];
}

/** Places all tags. */
function places(shown: Shown, moving: Screen<Subfigures>["moving"], figure: Omit<Field, "margin">, scale: number): Placed {
  const { panels } = shown.work;
  const field: Field = { ...figure, margin: (MARGIN - 2) / scale };
  const taken: Box[] = [];
  const boxOf = (panel: Panel) => (moving?.id === panel.id ? moving.box : panel.box);
  const foreign = [...panels.map(boxOf), ...shown.theirs];
  const put = (box: Box, sizes: readonly Size[]): Spot => {
    const scaled = sizes.map(([wide, high]) => [wide / scale, high / scale] as const);
    const spot = placeTag(box, scaled, 3 / scale, field, { taken, foreign });
    taken.push(spot.box);
    return spot;
  };
  const tags = panels.map((panel) => {
    // As wide as it is while it is open: no tag moves when its panel is decided.
    const wide = 14 + 8 * panel.label.length;
    const sizes: Size[] = panel.candidate === null ? [[wide, 18], [wide, 18]] : [[wide + 40, 18], [wide + 12, 18]];
    return { panel, spot: put(boxOf(panel), [...sizes, [wide - 6, 13]]) };
  });
  const here = panels.find((panel) => panel.id === shown.chosen);
  const whose = here && shown.near > 0 ? put(boxOf(here), [[shown.near * shown.wide, 16]]) : null;
  return { tags, whose: whose && !whose.inside ? whose.box : null };
}

/** The line from a tag that stands apart to its box: between their nearest points. */
function leaderOf(tag: Box, box: Box): [Point, Point] {
  const near = (low: number, high: number, to: number) => Math.min(Math.max(to, low), high);
  const [x, y] = [(tag[0] + tag[2]) / 2, (tag[1] + tag[3]) / 2];
  const to: Point = [near(box[0], box[2], x), near(box[1], box[3], y)];
  return [[near(tag[0], tag[2], to[0]), near(tag[1], tag[3], to[1])], to];
}

type Point = readonly [x: number, y: number];

/** The boxes of the line at which a colleague's decision is compared with one's own. */
function comparedBoxes({ body, screen: { notice } }: Session<Subfigures>): ["mine" | "theirs", Box][] {
  if (notice?.kind !== "conflict" || notice.conflict === null) return [];
  const part = rowsOf(body, notice.conflict)[notice.row]?.part as ConflictPart | null | undefined;
  const found: ["mine" | "theirs", Box][] = [];
  for (const side of ["mine", "theirs"] as const) if (part?.[side]) found.push([side, part[side].box]);
  return found;
}
