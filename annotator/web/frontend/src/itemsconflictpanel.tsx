/** A colleague was faster: both decisions on types and pairs, line by line, with the figure still in view. */

import { useEffect, useRef } from "preact/hooks";
import { FIELD_NAMES, type Field, type Pick3 } from "./conflict";
import { clashText, KEYS, NAMES } from "./conflictpanel";
import { mergeIsNew, rowsOf, sideOf, type ItemRow } from "./itemsconflict";
import { letter } from "./itemsdetail";
import { kindText } from "./itemslist";
import { nameOf } from "./itemsmodel";
import type { ItemsConflictNotice, ItemsSession } from "./itemssession";
import type { ItemsConflict, KindValue, PairWord } from "./itemstypes";
import { idOf, KIND } from "./itemswork";
import { keepFocus } from "./panels";
import { when } from "./when";

export function ItemsConflictPanel({ session, notice }: { session: ItemsSession; notice: ItemsConflictNotice }) {
  const { current, conflict } = notice;
  const { saving } = session.screen;
  const rows = conflict ? rowsOf(conflict) : [];
  return (
    <div class="aj-conflict" role="alertdialog" aria-labelledby="conflict-title" id="conflict" tabIndex={-1}>
      <h2 id="conflict-title">
        <span class="aj-mark" aria-hidden="true">
          ◆
        </span>
        {current ? `${current.reviewer} decided meanwhile, ${when(current.decided_at)}.` : notice.message}
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
        </ul>
      )}
      <div class="answers">
        <button type="button" disabled={saving} onMouseDown={keepFocus} onClick={() => session.takeTheirs()}>
          {current ? "Take theirs" : "Load anew"} <kbd>T</kbd>
        </button>
        <button type="button" disabled={saving} onMouseDown={keepFocus} onClick={() => void session.keepMine()}>
          Keep mine <kbd>M</kbd>
        </button>
        {conflict && rows.length > 0 && (
          <button type="button" class="primary" disabled={saving} onMouseDown={keepFocus} onClick={() => void session.saveMerge()}>
            Save as chosen <kbd>S</kbd>
          </button>
        )}
      </div>
    </div>
  );
}

interface LineProps {
  session: ItemsSession;
  notice: ItemsConflictNotice;
  conflict: ItemsConflict;
  row: ItemRow;
  at: number;
}

function Line({ session, notice, conflict, row, at }: LineProps) {
  const item = useRef<HTMLLIElement>(null);
  const here = notice.row === at;
  useEffect(() => {
    if (here) item.current?.scrollIntoView({ block: "nearest" });
  }, [here]);
  const side = sideOf(row, conflict, notice.choices);
  const sides: Pick3[] = mergeIsNew(row, conflict) ? ["mine", "theirs", "merged"] : ["mine", "theirs"];
  const title = row.part ? nameOf(session.model, row.part.id === "" ? KIND : idOf(row.part.id)) : FIELD_NAMES[row.key as Field];
  return (
    <li class={here ? "line here" : "line"} aria-current={here} ref={item}>
      <div class="line-head">
        <span class="aj-label plain it-wide">{title}</span>
        {row.clash && <span class="clash">◆ changed by both</span>}
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
            <span class="aj-text it-lines" dir="auto">
              {(row.part ? said(row.part[each]) : conflict[row.key as Field][each]) || <em>nothing</em>}
            </span>
          </button>
        ))}
      </div>
    </li>
  );
}

/** One side's word on an item, as text. */
function said(value: KindValue | PairWord | null): string {
  if (value === null) return "";
  if (!("verdict" in value)) return [kindText(value), value.note].filter((each) => each !== "").join("\n");
  const { verdict, edited, note } = value;
  const options = edited?.choices.map((each, i) => `${letter(i)} ${each}`) ?? [];
  const lines = edited ? [edited.question, ...options, `→ ${edited.answer}`, edited.type] : [];
  return [verdict, ...lines, note].filter((each) => each !== "").join("\n");
}
