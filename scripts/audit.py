"""Known vulnerabilities in what is locked: pip-audit on the Python locks, npm audit on the front end's.

It is a report and not a gate: a new finding somewhere in the world must not stop work on something else. --strict
makes it one. What could not be asked, for want of a network, node or pip-audit, is told as such and is no finding;
nothing here counts as "no vulnerabilities" unless somebody answered.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements/base.txt", "requirements/dev.txt", "annotator/label_studio/embedded/requirements.txt")
FRONT_END = ROOT / "annotator" / "web" / "frontend"
SECONDS = 300


@dataclass(frozen=True, order=True)
class Finding:
    """A known vulnerability. mend: the versions without it, "" where there is none."""

    package: str
    version: str
    name: str
    mend: str = ""


@dataclass
class Audit:
    """Of one lock. asked: packages that were looked up. unasked: why all or some were not."""

    lock: str
    asked: int = 0
    findings: list[Finding] = field(default_factory=list)
    unasked: str = ""


def of_pip_audit(lock: str, said: str, error: str) -> Audit:
    """Read pip-audit's JSON. Packages that it skipped count as unchecked."""
    try:
        listed: list[dict[str, Any]] = json.loads(said)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Audit(lock, unasked=last_line(error) or "pip-audit gave no answer")
    audit = Audit(lock)
    skipped = [each["name"] for each in listed if "skip_reason" in each]
    for each in listed:
        audit.asked += "skip_reason" not in each
        for found in each.get("vulns", ()):
            audit.findings.append(
                Finding(each["name"], each["version"], found["id"], ", ".join(found.get("fix_versions", ())))
            )
    if skipped:
        audit.unasked = (
            f"{len(skipped)} of {len(listed)} packages are unknown to the service, {skipped[0]} for one"
        )
    return audit


def of_npm(lock: str, said: str, error: str) -> Audit:
    """Read npm's JSON."""
    try:
        report = json.loads(said)
        listed = report["vulnerabilities"]
        asked = int(report["metadata"]["dependencies"]["total"])
    except (ValueError, KeyError, TypeError):
        message = ""
        try:
            message = str(json.loads(said).get("message", ""))
        except (ValueError, AttributeError):
            message = last_line(error)
        return Audit(lock, unasked=message or "npm audit gave no answer")
    audit = Audit(lock, asked)
    for name, each in listed.items():
        for via in each.get("via", ()):
            if isinstance(via, dict):
                fix = each.get("fixAvailable")
                mend = f"{fix['name']} {fix['version']}" if isinstance(fix, dict) else ""
                where = str(via.get("range", each.get("range", "")))
                audit.findings.append(Finding(name, where, str(via.get("url") or via.get("title", "")), mend))
    return audit


def last_line(text: str) -> str:
    """The last line that says something."""
    return next((line.strip()[:200] for line in reversed(text.splitlines()) if line.strip()), "")


def run(command: Sequence[str], folder: Path) -> tuple[str, str]:
    """Output and errors of a command; that it is not there, or takes too long, is an error too."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    except FileNotFoundError:
        return "", f"{command[0]} is not here"
    except subprocess.TimeoutExpired:
        return "", f"no answer within {SECONDS} s"
    return done.stdout, done.stderr


def audits() -> list[Audit]:
    """One for each lock."""
    found = []
    for lock in LOCKS:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip_audit", "--requirement", str(ROOT / lock), "--require-hashes"]
            command += ["--disable-pip", "--format", "json", "--progress-spinner", "off", "--cache-dir", folder]
            found.append(of_pip_audit(lock, *run(command, ROOT)))
    lock = (FRONT_END / "package-lock.json").relative_to(ROOT).as_posix()
    found.append(of_npm(lock, *run(["npm", "audit", "--json", "--package-lock-only"], FRONT_END)))
    return found


def report(found: Sequence[Audit]) -> str:
    """The report as Markdown."""
    lines = ["# Known vulnerabilities in what is locked", ""]
    for audit in found:
        if audit.asked:
            count = len(audit.findings)
            said = f"{audit.asked} packages asked for, {count or 'no'} finding{'' if count == 1 else 's'}"
        else:
            said = "not asked"
        lines.append(f"- `{audit.lock}`: {said}{f' ({audit.unasked})' if audit.unasked else ''}")
    findings = [(audit.lock, each) for audit in found for each in sorted(audit.findings)]
    if findings:
        lines += ["", "| lock | package | version | finding | mended in |", "|---|---|---|---|---|"]
        lines += [
            f"| `{lock}` | {each.package} | {each.version} | {each.name} | {each.mend or 'nothing yet'} |"
            for lock, each in findings
        ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the report here, not to stdout")
    parser.add_argument("--strict", action="store_true", help="exit status 1 where there is a finding")
    asked = parser.parse_args()
    found = audits()
    text = report(found)
    if asked.out is None:
        print(text, end="")
    else:
        asked.out.write_text(text, encoding="utf-8")
    return 1 if asked.strict and any(audit.findings for audit in found) else 0


if __name__ == "__main__":
    sys.exit(main())
