/** What the guideline checks find: marks, a list, and on the screen of subfigures what they find in unsaved work. */

import { useEffect, useState } from "preact/hooks";
import { post } from "./api";
import { chosenPanel } from "./model";
import { payload } from "./payload";
import type { Session } from "./session";
import type { Finding, Severity } from "./types";

const GLYPHS: Record<Severity, string> = { error: "✕", warning: "▲", note: "i" };
/** Milliseconds of quiet after which changed work is checked. */
const CHECK_AFTER = 400;

export function Marks({ findings }: { findings: readonly Finding[] }) {
  const worst = findings.find(({ severity }) => severity !== "note")?.severity;
  if (!worst) return <span class="it-marks" />;
  const count = findings.filter(({ severity }) => severity !== "note").length;
  const words = `${count} guideline ${count === 1 ? "finding" : "findings"}`;
  return (
    <span class={`it-marks ${worst}`} role="img" aria-label={words} title={findings.map(({ message }) => message).join("\n")}>
      {GLYPHS[worst]} {count}
    </span>
  );
}

/** What the guideline checks find, gravest first. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul class="it-findings" aria-label="Guideline findings">
      {findings.map(({ severity, check, message }) => (
        <li key={`${check} ${message}`} class={severity}>
          <span class="glyph" aria-hidden="true">
            {GLYPHS[severity]}
          </span>
          <span class="visually-hidden">{severity}: </span>
          {message}
        </li>
      ))}
    </ul>
  );
}

/** In the chosen subfigure as it stands, and in the figure as a whole. Advice: it holds nothing up. */
export function OwnFindings({ session }: { session: Session }) {
  const { model } = session;
  const { findings_url } = model.state;
  const [found, setFound] = useState<readonly Finding[]>([]);
  useEffect(() => {
    if (!findings_url) return;
    let late = false;
    const timer = window.setTimeout(() => {
      void post(findings_url, session.seal(), { ...payload(model, "accepted", 0) }).then((answer) => {
        const findings = answer?.["findings"];
        if (!late && Array.isArray(findings)) setFound(findings as Finding[]);
      });
    }, CHECK_AFTER);
    return () => {
      late = true;
      window.clearTimeout(timer);
    };
  }, [model.work, findings_url]);
  const label = chosenPanel(model)?.label;
  return <Findings findings={found.filter(({ item }) => item === "" || item === label)} />;
}
