/** What an item was imported as and what each annotator says, side by side. */

import type { ComponentChildren } from "preact";
import { keepFocus } from "../../frame/controls";
import { Marks } from "../../frame/findings";
import type { Session } from "../../session/session";
import type { Items, ItemsModel } from "./model";

/** Annotators who say the same share a column. voices: their places. */
export interface Column<T> {
  voices: readonly number[];
  value: T;
}

export function columnsOf<T extends { annotator: string }>(
  model: ItemsModel,
  readings: readonly T[],
  same: (a: T, b: T) => boolean,
): Column<T>[] {
  const columns: { voices: number[]; value: T }[] = [];
  model.state.annotators.forEach(({ key }, at) => {
    const reading = readings.find(({ annotator }) => annotator === key);
    if (!reading) return;
    const found = columns.find(({ value }) => same(value, reading));
    if (found) found.voices.push(at);
    else columns.push({ voices: [at], value: reading });
  });
  return columns;
}

/** A row of the table: the imported value, and a cell for each column. */
export interface CompareRow {
  name: string;
  original: ComponentChildren;
  cells: readonly { changed: boolean; text: ComponentChildren }[];
}

interface CompareProps<T> {
  session: Session<Items>;
  /** What findings name the item. */
  item: string;
  columns: readonly Column<T>[];
  isOwn: (value: T) => boolean;
  /** original: whether there is an imported value, and whether that is the reviewer's own. */
  original: { exists: boolean; own: boolean };
  /** What stands below an annotator's name. */
  verdict?: (value: T) => ComponentChildren;
  rows: readonly CompareRow[];
  noteOf: (column: Column<T>) => string;
  originalNote?: string | undefined;
}

export function Compare<T>(props: CompareProps<T>) {
  const { session, item, columns, isOwn, original, verdict, rows, noteOf, originalNote } = props;
  const notes = columns.map(noteOf);
  return (
    <div class="it-compare">
      <table style={{ minWidth: widthFor(columns.length) }}>
        <thead>
          <tr>
            <td />
            <Imported session={session} {...original} />
            {columns.map(({ voices, value }) => (
              <Voice key={voices.join()} session={session} voices={voices} chosen={isOwn(value)} item={item}>
                {verdict?.(value)}
              </Voice>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, original: imported, cells }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td dir="auto">{imported}</td>
              {cells.map(({ changed, text }, i) => (
                <td key={i} dir="auto" class={changed ? "changed" : "kept"}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
          {notes.some((note) => note !== "") && (
            <tr>
              <th scope="row">Note</th>
              <td dir="auto">{originalNote}</td>
              {notes.map((note, i) => (
                <td key={i} dir="auto">
                  {note}
                </td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

/** What the table needs at least, beyond which it scrolls: the names' column and one for each reading. */
function widthFor(readings: number): string {
  return `${104 + 128 * (readings + 1)}px`;
}

function Imported({ session, exists, own }: { session: Session<Items>; exists: boolean; own: boolean }) {
  return (
    <th scope="col" class={own ? "taken" : ""}>
      <button type="button" class="it-take" disabled={!exists} onMouseDown={keepFocus} onClick={() => session.act({ type: "original" })}>
        {own ? "● " : ""}As imported <kbd>0</kbd>
      </button>
    </th>
  );
}

interface VoiceProps {
  session: Session<Items>;
  voices: readonly number[];
  chosen: boolean;
  item: string;
  children?: ComponentChildren;
}

function Voice({ session, voices, chosen, item, children }: VoiceProps) {
  const { annotators, findings } = session.model.state;
  const [at = 0] = voices;
  const first = annotators[at];
  const marked = (first ? (findings[first.key] ?? []) : []).filter((each) => each.item === item);
  return (
    <th scope="col" class={chosen ? "taken" : ""}>
      <button type="button" class="it-take" onMouseDown={keepFocus} onClick={() => session.act({ type: "adopt", annotator: at })}>
        {chosen ? "● " : ""}
        {(first?.name ?? "").replace(/ \d+$/, "")}
        {voices.length > 1 ? "s" : ""}{" "}
        {voices.map((voice) => (
          <kbd key={voice}>{voice + 1}</kbd>
        ))}
      </button>
      {children}
      <Marks findings={marked} />
    </th>
  );
}
