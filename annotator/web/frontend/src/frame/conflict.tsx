/** A colleague was faster: both decisions line by line, over a pane, with the figure still in view. */

import { useEffect, useRef } from "preact/hooks";
import type { Kind } from "../session/kind";
import { mergeIsNew, rowsOf, sideOf, type Row } from "../session/conflict";
import type { Side } from "../session/screen";
import { keepMine, pick, saveMerge, takeTheirs } from "../session/overtaken";
import type { ConflictNotice } from "../session/screen";
import type { Session } from "../session/session";
import { DECISION_WORDS, type Status } from "../wire/types";
import { keepFocus, KeyButton } from "./controls";
import type { View } from "./view";

interface DialogProps<K extends Kind> {
  session: Session<K>;
  view: View<K>;
  notice: ConflictNotice<K>;
}

export function ConflictDialog<K extends Kind>({ session, view, notice }: DialogProps<K>) {
  const { current, conflict } = notice;
  const { saving } = session.screen;
  const texts = view.conflict;
  const rows = conflict ? rowsOf(session.body, conflict) : [];
  const same = conflict ? session.body.parts(conflict).filter(({ differs }) => !differs).length : 0;
  const below = texts.same(same);
  return (
    <div class="aj-conflict" role="alertdialog" aria-labelledby="conflict-title" id="conflict" tabIndex={-1}>
      <h2 id="conflict-title">
        <span class="aj-mark" aria-hidden="true">
          ◆
        </span>
        {current ? texts.title(current) : notice.message}
      </h2>
      {conflict && (
        <p class="muted">
          {rows.length === 0
            ? "Both decisions are the same."
            : "Your work is not lost, and theirs is not overwritten unless you choose to."}
          {conflict.clashes > 0 && <strong> {clashText(conflict.clashes)}</strong>}
        </p>
      )}
      {rows.length > 0 && (
        <ul class="compare">
          {rows.map((row, at) => (
            <Line key={row.key} session={session} view={view} notice={notice} row={row} at={at} />
          ))}
          {below && <li class="muted">{below}</li>}
        </ul>
      )}
      <div class="answers">
        <KeyButton keys="T" disabled={saving} run={() => takeTheirs(session)}>
          {current ? texts.theirs : "Reload"}
        </KeyButton>
        <KeyButton keys="M" disabled={saving} run={() => void keepMine(session)}>
          {texts.mine}
        </KeyButton>
        {rows.length > 0 && (
          <KeyButton keys="S" class="primary" disabled={saving} run={() => void saveMerge(session)}>
            Save chosen lines
          </KeyButton>
        )}
      </div>
    </div>
  );
}

function clashText(count: number): string {
  return `${count} ${count === 1 ? "line was" : "lines were"} changed by both: yours is saved unless you choose.`;
}

/** A field's value on one side, as it is displayed. */
function fieldText({ key, sides }: Row, side: Side): string | null {
  return key === "status" ? DECISION_WORDS[sides[side] as Status] : (sides[side] as string | null);
}

const NAMES: Record<Side, string> = { mine: "Mine", theirs: "Theirs", merged: "Both" };
const KEYS: Record<Side, string> = { mine: "←", theirs: "→", merged: "B" };

function Line<K extends Kind>({ session, view, notice, row, at }: DialogProps<K> & { row: Row; at: number }) {
  const item = useRef<HTMLLIElement>(null);
  const here = notice.row === at;
  useEffect(() => {
    if (here) item.current?.scrollIntoView({ block: "nearest" });
  }, [here]);
  const { part } = row;
  const { Head, Reading, name } = view.conflict;
  const chosen = sideOf(row, notice.choices);
  const sides: Side[] = mergeIsNew(row) ? ["mine", "theirs", "merged"] : ["mine", "theirs"];
  const title = part ? name(session.model, part) : row.name;
  return (
    <li class={here ? "line here" : "line"} aria-current={here} ref={item}>
      <div class="line-head">
        {part && Head ? <Head session={session} part={part} /> : <span class="aj-label plain">{title}</span>}
        {row.clash && <span class="clash">◆ changed by both</span>}
      </div>
      <div class="sides" role="radiogroup" aria-label={title}>
        {sides.map((side) => (
          <button
            key={side}
            type="button"
            role="radio"
            aria-checked={chosen === side}
            class={chosen === side ? "side picked" : "side"}
            onMouseDown={keepFocus}
            onClick={() => pick(session, side, at)}
          >
            <span class="whose">
              {chosen === side ? "●" : "○"} {NAMES[side]} {here && <kbd>{KEYS[side]}</kbd>}
            </span>
            <span class="aj-text" dir="auto">
              {part ? (
                <Reading session={session} part={part} side={side} />
              ) : (
                fieldText(row, side) || <em>nothing</em>
              )}
            </span>
          </button>
        ))}
      </div>
    </li>
  );
}
