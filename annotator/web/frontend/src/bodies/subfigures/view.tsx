/** What the screen of subfigures shows: the figure with its boxes, and the caption beside it. */

import type { ComponentChildren } from "preact";
import { References } from "../../frame/controls";
import { Findings } from "../../frame/findings";
import { useHeld } from "../../frame/held";
import { RemarkPane } from "../../frame/remarks";
import { openHint, queueHeader, REVIEWERS_DISMISSAL, type Bridge, type HintLine, type View } from "../../frame/view";
import { when } from "../../frame/when";
import type { Side } from "../../session/screen";
import type { Session } from "../../session/session";
import type { Part } from "../../wire/types";
import { Chips } from "./caption/chips";
import { Readings } from "./caption/readings";
import { runs } from "./caption/tokens";
import { ImagePane } from "./image/imagepane";
import { chosenPanel, type Subfigures } from "./model";
import { ChosenBar, LabelTag, PanelList } from "./panels";
import type { ConflictPart } from "./types";
import { onFigure } from "./work";

export const SUBFIGURES_VIEW: View<Subfigures> = {
  panesClass: "",
  Panes,
  header: (session) =>
    queueHeader(session, { text: "agreement", hint: "Mean of all ordered pairs of annotators, on boxes and text" }),
  hints,
  skip: "skip",
  reject: "reject figure",
  dismissal: REVIEWERS_DISMISSAL,
  part: ({ screen }) => (screen.pane === "image" ? "image" : null),
  scrolls: false,
  conflict: {
    title: ({ reviewer, decided_at }) => `${reviewer} decided meanwhile, ${when(decided_at)}.`,
    mine: "Keep mine",
    theirs: "Use theirs",
    same: (same) => (same === 0 ? null : `${same === 1 ? "1 subfigure is" : `${same} subfigures are`} the same in both.`),
    name: (_, part) => (part as ConflictPart).label,
    Head: ConflictHead,
    Reading: ConflictReading,
  },
};

function Panes({ session, bridge }: { session: Session<Subfigures>; bridge: Bridge }) {
  return (
    <>
      <ImagePane session={session} bridge={bridge} label="Boxes: arrows move the chosen one, Alt resizes, Shift goes by ten" />
      <CaptionSide session={session} bar={<ChosenBar session={session} />} readings={<Readings session={session} />}>
        <RemarkPane session={session} />
      </CaptionSide>
    </>
  );
}

interface CaptionSideProps {
  session: Session<Subfigures>;
  bar: ComponentChildren;
  readings?: ComponentChildren;
  children?: ComponentChildren;
}

/** The list of subfigures, the caption whose words belong to them, and what is always in view below it. */
export function CaptionSide({ session, bar, readings, children }: CaptionSideProps) {
  const { references, reference_panels: panels } = session.model.state;
  const label = chosenPanel(session.model)?.label;
  const letter = label?.[0]?.toUpperCase();
  const toCaption = () => session.screen.pane !== "caption" && session.show({ pane: "caption" });
  return (
    <section class="aj-side" aria-label="Caption" onPointerDownCapture={toCaption} onFocusCapture={toCaption}>
      <PanelList session={session} />
      {bar}
      {!session.model.state.blind && <FigureFindings session={session} />}
      <div class="scroll">
        <Chips session={session} />
        <References texts={references} open named={(i) => letter !== undefined && !!panels?.[i]?.includes(letter)} />
        {children}
      </div>
      {readings}
    </section>
  );
}

/** What the guideline checks find on the figure and on the chosen subfigure, above the caption: one line at least. */
function FigureFindings({ session }: { session: Session<Subfigures> }) {
  const { model, screen } = session;
  const label = chosenPanel(model)?.label;
  const onIt = screen.findings.filter(({ item }) => onFigure(model.work, item));
  const onChosen = screen.findings.filter(({ item }) => item === label && !onIt.some((each) => each.item === item));
  // A longer line would move the caption away from under a drag along its words.
  const findings = useHeld([...onIt, ...onChosen]);
  return (
    <div class="aj-findings" role="group" aria-label="Findings" aria-busy={session.checks.pending} tabIndex={0}>
      <Findings findings={findings} />
    </div>
  );
}

/** Hints for the words of the chosen subfigure. */
export function wordHints(off: boolean): HintLine[] {
  return [
    { keys: "Space", text: "in/out", run: { do: "act", action: { type: "toggle" } }, off },
    { keys: "]", text: "longer", run: { do: "act", action: { type: "adjust", edge: "end", by: 1 } }, off },
    { keys: "[", text: "shorter", run: { do: "act", action: { type: "adjust", edge: "end", by: -1 } }, off },
  ];
}

/** Keys for what can be done now on a figure's boxes and caption; `open` is how the body calls open subfigures. */
export function panelHints(session: Session<Subfigures>, open: string): HintLine[] {
  const { model, screen } = session;
  const off = !chosenPanel(model);
  const n = model.state.annotators.length;
  const reviewing = session.body.who === "reviewer";
  const caption: HintLine[] = [
    ...(reviewing ? [{ keys: ".", text: "differs", run: { do: "act", action: { type: "differing", by: 1 } }, off } as const] : []),
    ...wordHints(off),
    ...(n > 0 ? [{ keys: n > 1 ? `1 – ${Math.min(n, 9)}` : "1", text: reviewing ? "use text" : "predicted text" }] : []),
  ];
  const image: HintLine[] = [
    { keys: "Arrows", text: "move" },
    { keys: "Alt Arrows", text: "resize" },
    { keys: "F", text: "fit", run: { do: "fit" } },
    { keys: "C", text: "caption", run: { do: "home" } },
  ];
  return [
    openHint(session, open),
    ...(screen.pane === "caption" ? caption : image),
    { keys: "N", text: "box", run: { do: "draw", several: false }, pressed: screen.drawing !== false },
  ];
}

function hints(session: Session<Subfigures>): HintLine[] {
  const { layers } = session.screen;
  return [
    ...panelHints(session, "conflicts"),
    { keys: "V", text: "others' boxes", run: { do: "layers" }, pressed: layers.some(Boolean) },
  ];
}

function ConflictHead({ session, part }: { session: Session<Subfigures>; part: Part }) {
  const { label, mine, theirs, iou, differs } = part as ConflictPart;
  return (
    <>
      <LabelTag state={session.model.state} label={label} />
      {(mine === null || theirs === null) && <span class="why">{theirs === null ? "only in yours" : "only in theirs"}</span>}
      {iou != null && differs.includes("box") && <span class="muted">boxes overlap {Math.round(iou * 100)} %</span>}
    </>
  );
}

/** One side's text, what only it has marked. */
function ConflictReading({ session, part, side }: { session: Session<Subfigures>; part: Part; side: Side }) {
  const { label, only_mine, only_theirs, ...sides } = part as ConflictPart;
  const of = sides[side];
  if (of === null) return <em>no such subfigure</em>;
  const { tokens } = session.model.state.caption;
  const only = new Set([...only_mine, ...only_theirs]);
  return (
    <>
      {label !== of.label && <span>labelled {of.label}: </span>}
      {of.tokens.length === 0 && <em>no subcaption</em>}
      {runs(of.tokens).map(([first, last], i) => (
        <span key={first}>
          {i > 0 ? " … " : ""}
          {tokens.slice(first, last + 1).map((token) => {
            const gap = token.space || token.newline ? " " : "";
            return only.has(token.id) ? [<mark key={token.id}>{token.text}</mark>, gap] : token.text + gap;
          })}
        </span>
      ))}
    </>
  );
}
