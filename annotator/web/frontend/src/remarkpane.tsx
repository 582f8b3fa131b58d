/** Below the caption: note, kind of error, question for the guidelines, second reviewer. */

import { keepFocus } from "./panels";
import type { Remarks } from "./remarks";
import type { FigureState } from "./types";

/** As many characters as the server takes. */
const LONGEST = { note: 10_000, flag: 2_000 } as const;

/** Of whichever screen has it. */
interface Remarking {
  model: { state: Pick<FigureState, "error_kinds" | "review">; remarks: Remarks };
  act(action: { type: "remark"; change: Partial<Remarks> }): void;
  run(command: { do: "caption" | "second" }): void;
}

export function RemarkPane({ session }: { session: Remarking }) {
  const { state, remarks } = session.model;
  const remark = (change: Partial<Remarks>) => session.act({ type: "remark", change });
  const kinds = [...new Set([...(state.error_kinds ?? []), ...(remarks.error_kind ? [remarks.error_kind] : [])])];
  return (
    <div class="remarks">
      <label class="wide">
        <span>
          Note <kbd>M</kbd>
        </span>
        <textarea
          id="note"
          dir="auto"
          rows={2}
          maxLength={LONGEST.note}
          value={remarks.note}
          onInput={(event) => remark({ note: event.currentTarget.value })}
        />
      </label>
      {kinds.length > 0 && (
        <label>
          <span>
            Error kind <kbd>E</kbd>
          </span>
          <select
            id="error-kind"
            value={remarks.error_kind ?? ""}
            onChange={(event) => remark({ error_kind: event.currentTarget.value || null })}
          >
            <option value="">none</option>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {kind}
              </option>
            ))}
          </select>
        </label>
      )}
      {state.error_kinds && (
        <label>
          <span>
            Question for the guidelines <kbd>Q</kbd>
          </span>
          <input
            id="flag"
            dir="auto"
            maxLength={LONGEST.flag}
            placeholder="flags the figure"
            value={remarks.guideline_flag}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.isComposing) session.run({ do: "caption" });
            }}
            onInput={(event) => remark({ guideline_flag: event.currentTarget.value })}
          />
        </label>
      )}
      {state.review && (
        <button
          type="button"
          class="wide second"
          aria-pressed={remarks.second}
          onMouseDown={keepFocus}
          onClick={() => session.run({ do: "second" })}
        >
          {remarks.second ? "✓ Another reviewer is asked" : "Ask another reviewer"} <kbd>Shift S</kbd>
        </button>
      )}
    </div>
  );
}
