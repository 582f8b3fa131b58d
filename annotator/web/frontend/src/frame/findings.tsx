/** What the guideline checks find: marks, and a list. */

import type { Finding, Severity } from "../wire/types";

const GLYPHS: Record<Severity, string> = { error: "✕", warning: "▲", note: "i" };

export function Marks({ findings }: { findings: readonly Finding[] }) {
  const worst = findings.find(({ severity }) => severity !== "note")?.severity;
  if (!worst) return <span class="finding-marks" />;
  const count = findings.filter(({ severity }) => severity !== "note").length;
  const words = `${count} guideline ${count === 1 ? "finding" : "findings"}`;
  return (
    <span class={`finding-marks ${worst}`} role="img" aria-label={words} title={findings.map(({ message }) => message).join("\n")}>
      {GLYPHS[worst]} {count}
    </span>
  );
}

/** What the guideline checks find, gravest first. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul class="findings" aria-label="Guideline findings">
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
