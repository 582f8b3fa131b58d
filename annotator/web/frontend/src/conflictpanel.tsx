/** A colleague was faster: both decisions line by line, over the caption, with the figure still in view. */

import { useEffect, useRef } from "preact/hooks";
import { FIELD_NAMES, mergeIsNew, rowsOf, sideOf, type Field, type Pick3, type Row } from "./conflict";
import { keepFocus, LabelTag } from "./panels";
import type { ConflictNotice } from "./screen";
import type { Session } from "./session";
import { runs } from "./tokens";
import type { Conflict, ConflictPart, Decision, FigureState, Subfigure } from "./types";
import { when } from "./when";

export function ConflictPanel({ session, notice }: { session: Session; notice: ConflictNotice }) {
  const { current, conflict } = notice;
  const { saving } = session.screen;
  const rows = conflict ? rowsOf(conflict) : [];
  const same = conflict ? conflict.subfigures.length - rows.filter((row) => row.part).length : 0;
  return (
    <div class="aj-conflict" role="alertdialog" aria-labelledby="conflict-title" id="conflict" tabIndex={-1}>
      <h2 id="conflict-title">
        <span class="aj-mark" aria-hidden="true">
          ◆
        </span>
        {current ? titleOf(session, current) : notice.message}
      </h2>
      {conflict && (
        <p class="muted">
          {rows.length === 0 ? "Both decisions say the same." : "Nothing of yours is lost, and nothing of theirs is overwritten unseen."}
          {conflict.clashes > 0 && <strong> {clashText(conflict.clashes)}</strong>}
        </p>
      )}
      {conflict && rows.length > 0 && (
        <ul class="compare">
          {rows.map((row, i) => (
            <Line key={row.key} session={session} notice={notice} conflict={conflict} row={row} at={i} />
          ))}
          {same > 0 && <li class="muted">{same === 1 ? "1 subfigure is" : `${same} subfigures are`} the same in both.</li>}
        </ul>
      )}
      <div class="answers">
        <button type="button" disabled={saving} onMouseDown={keepFocus} onClick={() => session.takeTheirs()}>
          {current ? (session.model.state.blind ? "Take what is saved" : "Take theirs") : "Load anew"} <kbd>T</kbd>
        </button>
        <button type="button" disabled={saving} onMouseDown={keepFocus} onClick={() => void session.keepMine()}>
          {session.model.state.blind ? "Save this instead" : "Keep mine"} <kbd>M</kbd>
        </button>
        {conflict && rows.length > 0 && (
          <button
            type="button"
            class="primary"
            disabled={saving}
            onMouseDown={keepFocus}
            onClick={() => void session.saveMerge()}
          >
            Save as chosen <kbd>S</kbd>
          </button>
        )}
      </div>
    </div>
  );
}

function titleOf(session: Session, { reviewer, decided_at }: Decision): string {
  if (session.model.state.blind) return `You saved this figure in another tab or window, ${when(decided_at)}.`;
  return `${reviewer} decided meanwhile, ${when(decided_at)}.`;
}

export function clashText(count: number): string {
  return `${count} ${count === 1 ? "line was" : "lines were"} changed by both: yours stands unless you choose.`;
}

interface LineProps {
  session: Session;
  notice: ConflictNotice;
  conflict: Conflict;
  row: Row;
  at: number;
}

function Line({ session, notice, conflict, row, at }: LineProps) {
  const { state } = session.model;
  const item = useRef<HTMLLIElement>(null);
  const here = notice.row === at;
  useEffect(() => {
    if (here) item.current?.scrollIntoView({ block: "nearest" });
  }, [here]);
  const side = sideOf(row, conflict, notice.choices);
  const sides: Pick3[] = mergeIsNew(row, conflict) ? ["mine", "theirs", "merged"] : ["mine", "theirs"];
  const title = row.part ? row.part.label : FIELD_NAMES[row.key as Field];
  return (
    <li class={here ? "line here" : "line"} aria-current={here} ref={item}>
      <div class="line-head">
        {row.part ? <LabelTag state={state} label={row.part.label} /> : <span class="aj-label plain">{title}</span>}
        {row.clash && <span class="clash">◆ changed by both</span>}
        {row.part && (row.part.mine === null || row.part.theirs === null) && (
          <span class="why">{row.part.theirs === null ? "only yours" : "only theirs"}</span>
        )}
        {row.part?.iou != null && row.part.differs.includes("box") && (
          <span class="muted">boxes overlap {Math.round(row.part.iou * 100)} %</span>
        )}
      </div>
      <div class="sides" role="radiogroup" aria-label={title}>
        {sides.map((each) => (
          <button
            key={each}
            type="button"
            role="radio"
            aria-checked={side === each}
            class={side === each ? "side picked" : "side"}
            onMouseDown={keepFocus}
            onClick={() => session.pick(each, at)}
          >
            <span class="whose">
              {side === each ? "●" : "○"} {NAMES[each]} {here && <kbd>{KEYS[each]}</kbd>}
            </span>
            <span class="aj-text" dir="auto">
              {row.part ? (
                <Reading state={state} part={row.part} of={row.part[each]} />
              ) : (
                (conflict[row.key as Field][each] ?? "") || <em>nothing</em>
              )}
            </span>
          </button>
        ))}
      </div>
    </li>
  );
}

export const NAMES: Record<Pick3, string> = { mine: "Mine", theirs: "Theirs", merged: "Both" };
export const KEYS: Record<Pick3, string> = { mine: "←", theirs: "→", merged: "B" };

/** One side's text, what only it has marked. */
function Reading({ state, part, of }: { state: FigureState; part: ConflictPart; of: Subfigure | null }) {
  if (of === null) return <em>no such subfigure</em>;
  const other = new Set(part.label === of.label ? [] : [of.label]);
  const only = new Set([...part.only_mine, ...part.only_theirs]);
  return (
    <>
      {[...other].map((label) => (
        <span key={label}>labelled {label}: </span>
      ))}
      {of.tokens.length === 0 && <em>no subcaption</em>}
      {runs(of.tokens).map(([first, last], i) => (
        <span key={first}>
          {i > 0 ? " … " : ""}
          {state.caption.tokens.slice(first, last + 1).map((token) => {
            const gap = token.space || token.newline ? " " : "";
            return only.has(token.id) ? [<mark key={token.id}>{token.text}</mark>, gap] : token.text + gap;
          })}
        </span>
      ))}
    </>
  );
}
