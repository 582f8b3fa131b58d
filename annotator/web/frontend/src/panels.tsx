/** The right pane's lists: candidate subfigures, the bar of the chosen one, and what each annotator read. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Marks } from "./findings";
import { colourOf, dashName, dashOf, inkOn } from "./colours";
import { chosenPanel } from "./model";
import type { Session } from "./session";
import { brief, differing, gist, textOf, type TokenSet } from "./tokens";
import type { FigureState } from "./types";
import { candidateOf, FIGURE, readingOf, repeatedLabels, type Panel, type Review } from "./work";

const GLYPHS: Record<Review, string> = { open: "◆", accepted: "✓", rejected: "✕" };

/** A click that leaves the focus, and so the keys, where they are. */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

export function LabelTag({ state, label }: { state: FigureState; label: string }) {
  const colour = colourOf(state, label);
  return (
    <span class="aj-label" style={{ "--own": colour, "--ink": inkOn(colour) }}>
      {label}
    </span>
  );
}

export function PanelList({ session }: { session: Session }) {
  const { model } = session;
  const { work } = model;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-current='true']")?.scrollIntoView({ block: "nearest" });
  }, [model.chosen]);
  const repeated = new Set(model.state.blind ? [] : repeatedLabels(work));
  const drag = useRowDrag(session);
  return (
    <ul class="aj-panels" ref={list} aria-label="Subfigures" onPointerDown={drag}>
      <Remark lines={[model.state.blind?.told ?? "", model.state.review?.told ?? "", ...(work.figureOpen ? [] : (model.state.reasons ?? []))]} />
      {work.figureOpen && <FigureRow session={session} />}
      {work.panels.map((panel) => (
        <PanelRow key={panel.id} session={session} panel={panel} repeated={repeated.has(panel.label)} />
      ))}
      {work.panels.length === 0 && <li class="aj-empty">No annotator drew a subfigure. N draws one.</li>}
    </ul>
  );
}

function FigureRow({ session }: { session: Session }) {
  const { reasons = [] } = session.model.state;
  return (
    <Row session={session} id={FIGURE} review="open">
      <span class="aj-label plain">Fig</span>
      <span class="why">{reasons.join(", ") || "annotators differ on its status"}</span>
      <span class="who">keep or reject</span>
    </Row>
  );
}

/** What is to be known of the figure, and asks for nothing. */
function Remark({ lines }: { lines: readonly string[] }) {
  const told = lines.filter((line) => line !== "");
  return told.length > 0 ? <li class="remark">{told.join("; ")}</li> : null;
}

function PanelRow({ session, panel, repeated }: { session: Session; panel: Panel; repeated: boolean }) {
  const { state } = session.model;
  const candidate = candidateOf(state, panel);
  const text = textOf(state.caption.tokens, panel.tokens);
  const reasons = repeated && panel.review !== "rejected" ? ["label used twice"] : (candidate?.reasons ?? []);
  const loud = panel.review === "open" || (repeated && panel.review !== "rejected");
  const who = candidate ? `${candidate.supporters.length} of ${state.annotators.length}` : state.blind ? "" : "yours";
  if (state.blind && panel.review === "open") {
    return (
      <Row session={session} id={panel.id} review="open">
        <LabelTag state={state} label={panel.label} />
        <span class="why">to write</span>
        <span class="who" />
      </Row>
    );
  }
  return (
    <Row session={session} id={panel.id} review={panel.review}>
      <LabelTag state={state} label={panel.label} />
      {loud && reasons.length > 0 ? (
        <span class="aj-text why" title={panel.review === "open" ? proposed(panel, text) : undefined}>
          {reasons.join(", ")}
          {panel.review === "open" && <span class="proposed" dir="auto"> {proposed(panel, brief(text, 2, 1))}</span>}
        </span>
      ) : (
        <span class="aj-text" dir="auto">
          {text || "no subcaption"}
        </span>
      )}
      <span class="who">{who}</span>
    </Row>
  );
}

/** What A would do to an open panel. */
function proposed(panel: Panel, text: string): string {
  const words = text === "" ? "no subcaption" : `“${text}”`;
  return panel.keep ? `A: ${words}` : `A takes it in, else it stays out: ${words}`;
}

function Row(props: { session: Session; id: string; review: Review; children: ComponentChildren }) {
  const { session, id, review, children } = props;
  const chosen = session.model.chosen === id;
  return (
    <li data-panel={id}>
      <button
        type="button"
        class={`aj-row ${review}${chosen ? " chosen" : ""}`}
        aria-current={chosen}
        onMouseDown={keepFocus}
        onClick={() => session.act({ type: "choose", id })}
      >
        <span class="glyph" aria-label={review} role="img">
          {GLYPHS[review]}
        </span>
        {children}
      </button>
    </li>
  );
}

/** A row that is dragged over another takes its place. */
function useRowDrag(session: Session): (event: PointerEvent) => void {
  return (event) => {
    const id = rowAt(event.target);
    if (event.button !== 0 || id === null || id === FIGURE) return;
    const move = (next: PointerEvent) => {
      const over = rowAt(document.elementFromPoint(next.clientX, next.clientY));
      const at = session.model.work.panels.findIndex((panel) => panel.id === over);
      if (over !== null && over !== id && at >= 0) session.act({ type: "place", id, at });
    };
    const up = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", up);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", up);
  };
}

function rowAt(target: EventTarget | null): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-panel]") : null;
  return row?.dataset["panel"] ?? null;
}

/** What can be done to the chosen subfigure. Its height never changes. */
export function ChosenBar({ session }: { session: Session }) {
  const { model } = session;
  const panel = chosenPanel(model);
  const figure = model.chosen === FIGURE;
  const none = !panel && !figure;
  return (
    <div class="aj-bar" role="toolbar" aria-label="Chosen subfigure">
      <label class="relabel">
        <span>Label</span>
        <LabelSelect session={session} panel={panel} />
      </label>
      <Act session={session} keys="A" disabled={none || panel?.review === "accepted"} run={{ type: "accept" }}>
        {figure ? "Keep figure" : "Accept"}
      </Act>
      <Act session={session} keys="R" disabled={!panel || panel.review === "rejected"} run={{ type: "reject" }}>
        {panel?.candidate === null ? "Remove" : "Reject"}
      </Act>
      <Act session={session} keys="0" disabled={!panel} pressed={panel?.tokens.length === 0} run={{ type: "none" }}>
        No subcaption
      </Act>
    </div>
  );
}

function Act(props: {
  session: Session;
  keys: string;
  disabled: boolean;
  pressed?: boolean | undefined;
  run: Parameters<Session["act"]>[0];
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      disabled={props.disabled}
      aria-pressed={props.pressed}
      onMouseDown={keepFocus}
      onClick={() => props.session.act(props.run)}
    >
      {props.children} <kbd>{props.keys}</kbd>
    </button>
  );
}

function LabelSelect({ session, panel }: { session: Session; panel: Panel | undefined }) {
  const { state, work } = session.model;
  const used = new Set(work.panels.filter((each) => each.review !== "rejected").map((each) => each.label));
  const labels = [...new Set([...state.labels, ...work.panels.map((each) => each.label)])];
  return (
    <select
      id="label"
      aria-label="Label"
      disabled={!panel}
      value={panel?.label ?? ""}
      onChange={(event) => panel && session.act({ type: "relabel", id: panel.id, label: event.currentTarget.value })}
    >
      {!panel && <option value="">–</option>}
      {labels.map((label) => (
        <option key={label} value={label}>
          {label}
          {used.has(label) && label !== panel?.label ? " (used)" : ""}
        </option>
      ))}
    </select>
  );
}

/** One line an annotator: whether their boxes show, and their text of the chosen subfigure, there to be taken. */
export function Readings({ session }: { session: Session }) {
  const { model, screen } = session;
  const { state } = model;
  const panel = chosenPanel(model);
  const candidate = candidateOf(state, panel);
  const loud = new Set(candidate ? differing(candidate) : []);
  return (
    <ul class="readings" aria-label="What each annotator read">
      {state.annotators.map((annotator, i) => {
        const annotation = state.annotations.find((each) => each.annotator === annotator.key);
        const reading = panel ? readingOf(state, panel, annotator.key) : null;
        const same = reading !== null && panel !== undefined && reading.tokens.join() === panel.tokens.join();
        return (
          <li key={annotator.key}>
            <button
              type="button"
              class="layer"
              aria-pressed={screen.layers[i] ?? false}
              aria-label={`Boxes of ${annotator.name}, ${dashName(i)}`}
              title={`Boxes of ${annotator.name} (${dashName(i)} line): Alt ${i + 1}`}
              onMouseDown={keepFocus}
              onClick={() => session.run({ do: "layer", annotator: i })}
            >
              <svg viewBox="0 0 32 8" width="32" height="8" aria-hidden="true">
                <line x1="1" y1="4" x2="31" y2="4" stroke-dasharray={dashOf(i)} />
              </svg>
            </button>
            <button
              type="button"
              class={`reading${same ? " same" : ""}`}
              disabled={!reading}
              aria-pressed={same}
              title={reading ? textOf(state.caption.tokens, reading.tokens) || "no subcaption" : undefined}
              onMouseDown={keepFocus}
              onClick={() => session.act({ type: "adopt", annotator: i, box: false })}
            >
              <kbd>{i + 1}</kbd>
              <span class="aj-text" dir="auto">
                {reading ? <Marked state={state} tokens={reading.tokens} loud={loud} /> : absent(annotation?.status)}
              </span>
              <span class="same-mark">{same ? "✓" : ""}</span>
              <Marks findings={(state.findings?.[annotator.key] ?? []).filter(({ item }) => item === "" || item === panel?.label)} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function absent(status: string | undefined): string {
  if (status === undefined) return "has not done this figure";
  return status === "accepted" ? "has no such subfigure" : `${status} the figure`;
}

/** The text around what annotators differ in, that marked, and what this one left out struck. */
function Marked({ state, tokens, loud }: { state: FigureState; tokens: TokenSet; loud: ReadonlySet<number> }) {
  if (tokens.length === 0 && loud.size === 0) return <em>no subcaption</em>;
  const has = new Set(tokens);
  return (
    <>
      {tokens.length === 0 && <em>no subcaption </em>}
      {gist(tokens, loud, state.caption.tokens).map((part, i) => {
        if (part === null) return <span key={i}> … </span>;
        const token = state.caption.tokens[part];
        if (!token) return null;
        const gap = token.space || token.newline ? " " : "";
        if (!loud.has(part)) return token.text + gap;
        return has.has(part) ? [<mark key={i}>{token.text}</mark>, gap] : [<del key={i}>{token.text}</del>, gap];
      })}
    </>
  );
}
