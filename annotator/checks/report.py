"""Format findings as text, JSON and a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from annotator.checks.run import Checked, counts
from panelwise.domain import Finding, Severity, one_line
from panelwise.files import csv_text as safe_csv_text
from panelwise.runtime import counted

#: Columns of the table.
COLUMNS = ("phase", "annotator", "figure_id", "about", "severity", "check", "message", "question", "where")


def chosen(found: Iterable[Checked], least: Severity, only: frozenset[str] = frozenset()) -> Iterator[Checked]:
    """Filter findings by minimum severity and by check. only: ids of checks; empty for all."""
    for each in found:
        findings = (
            finding
            for finding in each.findings
            if finding.severity.rank <= least.rank and (not only or finding.check in only)
        )
        yield Checked(each.annotation, tuple(findings))


def tally(found: Sequence[Checked]) -> str:
    """Summarize the findings in one line."""
    findings = [finding for each in found for finding in each.findings]
    of = counted(len(found), "annotation")
    if not findings:
        return f"no findings in {of}"
    parts = ", ".join(counted(number, severity.value) for severity, number in counts(findings).items() if number)
    return f"{parts} in {sum(bool(each.findings) for each in found)} of {of}"


def text_lines(found: Sequence[Checked]) -> Iterator[str]:
    """Return findings by annotator and phase, then figure, one line each, with a summary."""
    for (annotator, phase), own in _by_person(found):
        yield one_line(f"{annotator}, phase {phase}: {tally(own)}")
        for each in own:
            if each.findings:
                yield f"  {one_line(each.annotation.figure.id)}"
            for finding in each.findings:
                about = each.about(finding)
                place = f"{one_line(about)}: " if about else ""
                yield f"    {finding.severity.value:<7}  {place}{one_line(finding.message)} [{finding.check}]"


def json_record(found: Sequence[Checked], campaign: str) -> dict[str, Any]:
    """Return all findings with their numbers by severity and by check."""
    findings = [finding for each in found for finding in each.findings]
    checks = sorted({finding.check for finding in findings})
    return {
        "campaign": campaign,
        "annotations": len(found),
        "counts": {severity.value: number for severity, number in counts(findings).items()},
        "checks": {check: sum(finding.check == check for finding in findings) for check in checks},
        "findings": list(_records(found)),
    }


def csv_text(found: Sequence[Checked]) -> str:
    """Format the findings as a CSV table with a header; cells are escaped against formulas."""
    return safe_csv_text(COLUMNS, _records(found), line_end="\n")


def _by_person(found: Sequence[Checked]) -> Iterator[tuple[tuple[str, str], list[Checked]]]:
    groups: dict[tuple[str, str], list[Checked]] = {}
    for each in found:
        groups.setdefault((each.annotation.annotator, each.annotation.phase), []).append(each)
    yield from sorted(groups.items())


def _records(found: Sequence[Checked]) -> Iterator[dict[str, str]]:
    for (annotator, phase), own in _by_person(found):
        for each in own:
            for finding in each.findings:
                yield {"phase": phase, "annotator": annotator, **_record(each, finding)}


def _record(each: Checked, finding: Finding) -> dict[str, str]:
    return {
        "figure_id": each.annotation.figure.id,
        "about": each.about(finding),
        "severity": finding.severity.value,
        "check": finding.check,
        "message": finding.message,
        "question": each.question(finding),
        "where": finding.where,
    }
