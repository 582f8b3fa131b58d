"""`annotator check`: check annotations against the guidelines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.commandline import campaign_at, progress
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.paths import OutPath
from annotator.cli.shared_options import HomeOption, Json
from panelwise.domain import AnnotatorError, Severity
from panelwise.runtime import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotator.checks.run import Checked


@click.command(epilog="Example: annotator check --annotator ann1 --out ann1.csv", cls=SignatureCommand)
def command(
    phase: Annotated[str | None, Option("Only this phase's work.")],
    annotator: Annotated[str | None, Option("Only this annotator's work.")],
    gold: Annotated[bool, Option("Check gold instead of annotations.")],
    least: Annotated[
        str,
        Option(
            "Lowest severity listed.",
            type=click.Choice([severity.value for severity in Severity]),
            default=Severity.NOTE.value,
        ),
    ],
    only: Annotated[tuple[str, ...], Option("Only this check (repeatable).", metavar="CHECK")],
    as_json: Json,
    out: Annotated[Path | None, Option("Write a table (.csv), JSON (.json) or text (.txt, .md).", type=OutPath())],
    strict: Annotated[bool, Option("Exit with status 1 on an error.")],
    listed: Annotated[bool, Option("List the checks and their rules.", "--list")],
    home: HomeOption,
) -> int:
    """Check the current annotations against the guidelines, changing nothing.

    Findings are errors, warnings (very likely wrong) and notes (worth a look), each with what to do.
    """
    from annotator.campaign.choices import check_among
    from annotator.campaign.protected_files import refuse_protected
    from annotator.checks.report import chosen, tally
    from annotator.checks.rules.catalogue import CHECKS
    from annotator.checks.run import check_gold, check_home, counts

    if gold and (phase or annotator):
        raise click.UsageError("--gold can't be combined with --phase or --annotator; leave them out")
    if listed:
        for check in CHECKS:
            click.echo(f"{check.id:<27} {check.severity.value:<8} {check.rule}")
        return 0
    for name in only:
        check_among(name, {check.id for check in CHECKS}, "check", "annotator check", option="--only")
    form = _form(out, as_json=as_json)
    where = campaign_at(home)
    refuse_protected(out, where)
    with where.open_store() as store:
        work = check_gold(where, store) if gold else check_home(where, store, phase=phase, annotator=annotator)
        found = list(chosen(progress(work, "checking"), Severity(least), frozenset(only)))
    text = _text(found, form, where.campaign.name)
    if out is None:
        click.echo(text, nl=False)
    else:
        from panelwise.runtime import write_whole

        write_whole(out, text.encode())
        number = sum(len(each.findings) for each in found)
        click.echo(f"wrote {counted(number, 'finding')} to {out} ({tally(found)})")
    errors = counts(finding for each in found for finding in each.findings)[Severity.ERROR]
    return 1 if strict and errors else 0


def _form(out: Path | None, *, as_json: bool) -> str:
    """Return the output format: "text", "json" or "csv". Raises AnnotatorError for another file name extension."""
    forms = {".csv": "csv", ".json": "json", ".txt": "text", ".md": "text"}
    if out is None or as_json:
        return "json" if as_json else "text"
    if out.suffix.lower() not in forms:
        raise AnnotatorError(f"{out}: unknown output format; name a file that ends in {', '.join(forms)}")
    return forms[out.suffix.lower()]


def _text(found: Sequence[Checked], form: str, campaign: str) -> str:
    from annotator.checks.report import csv_text, json_record, tally, text_lines

    if form == "csv":
        return csv_text(found)
    if form == "json":
        import json

        return json.dumps(json_record(found, campaign), indent=2, ensure_ascii=False) + "\n"
    people = {(each.annotation.annotator, each.annotation.phase) for each in found}
    lines = [*text_lines(found), *([f"total: {tally(found)}"] if len(people) != 1 else [])]
    return "".join(f"{line}\n" for line in lines)
