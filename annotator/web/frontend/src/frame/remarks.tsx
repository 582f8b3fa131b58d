/** What is written of the decision as a whole: note, kind of error, question for the guidelines, second reviewer. */

import type { Kind } from "../session/body";
import type { Remarks } from "../session/remarks";
import type { Session } from "../session/session";
import { KeyButton } from "./controls";

/** As many characters as the server takes. */
const LONGEST = { note: 10_000, flag: 2_000 } as const;

export function RemarkPane<K extends Kind>({ session }: { session: Session<K> }) {
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
              if (event.key === "Enter" && !event.isComposing) session.run({ do: "home" });
            }}
            onInput={(event) => remark({ guideline_flag: event.currentTarget.value })}
          />
        </label>
      )}
      {state.review && (
        <KeyButton keys="Shift S" class="wide second" pressed={remarks.second} run={() => session.run({ do: "second" })}>
          {remarks.second ? "✓ Another reviewer is asked" : "Ask another reviewer"}
        </KeyButton>
      )}
    </div>
  );
}
