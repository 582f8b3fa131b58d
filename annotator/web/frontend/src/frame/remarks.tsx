/** What is written of the decision as a whole: note, kind of error, question for the guidelines, second reviewer. */

import { run } from "../session/commands";
import type { Kind } from "../session/kind";
import type { Remarks } from "../session/remarks";
import type { Session } from "../session/session";
import type { ErrorKind } from "../wire/types";
import { KeyButton, SelectField, TextField } from "./controls";

/** As many characters as the server takes. */
const LONGEST = { note: 10_000, flag: 2_000 } as const;

export function RemarkPane<K extends Kind>({ session }: { session: Session<K> }) {
  const { state, remarks } = session.model;
  const remark = (change: Partial<Remarks>) => session.act({ type: "remark", change });
  const kinds = [...new Set([...(state.error_kinds ?? []), ...(remarks.error_kind ? [remarks.error_kind] : [])])];
  return (
    <div class="remarks">
      <TextField
        class="wide"
        label="Note"
        keys="M"
        id="note"
        rows={2}
        longest={LONGEST.note}
        value={remarks.note}
        onInput={(note) => remark({ note })}
      />
      {kinds.length > 0 && (
        <SelectField
          label="Error kind"
          keys="E"
          id="error-kind"
          none="none"
          options={kinds}
          value={remarks.error_kind ?? ""}
          onInput={(kind) => remark({ error_kind: (kind || null) as ErrorKind | null })}
        />
      )}
      {state.error_kinds && (
        <TextField
          label="Question for the guidelines"
          keys="Q"
          id="flag"
          longest={LONGEST.flag}
          placeholder="flags the figure"
          value={remarks.guideline_flag}
          onInput={(flag) => remark({ guideline_flag: flag })}
          onEnter={() => run(session, { do: "home" })}
        />
      )}
      {state.review && (
        <KeyButton keys="Shift S" class="wide second" pressed={remarks.second} run={() => run(session, { do: "second" })}>
          {remarks.second ? "✓ Second reviewer requested" : "Request second reviewer"}
        </KeyButton>
      )}
    </div>
  );
}
