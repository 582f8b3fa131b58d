"""`annotator init`: create a campaign home."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import click

from annotator.cli.commandline import listed_names, warn
from annotator.cli.parameters import Argument, Option, SignatureCommand
from annotator.cli.paths import InPath

#: Repeated here so that `--help` reads no template; a test compares the two.
TEMPLATE_NAMES = ("subfigures", "figure-qa", "figure-types", "medical-types", "human-eval")


@click.command(
    epilog="Example: annotator init chest-figures --template subfigures --start 2026-12-01", cls=SignatureCommand
)
def command(
    directory: Annotated[Path, Argument(metavar="DIR", type=InPath(file_okay=False))],
    name: Annotated[str, Option("Campaign name [default: the folder's].", default="")],
    labels: Annotated[str, Option("Subfigure labels, comma separated [default: A to Z].", default="")],
    template: Annotated[str | None, Option("Template to start from.", type=click.Choice(TEMPLATE_NAMES))],
    annotators: Annotated[str, Option("With --template: names, comma separated.", default="")],
    reviewers: Annotated[str, Option("With --template: names, comma separated.", default="")],
    start: Annotated[
        datetime | None,
        Option(
            "With --template: first day of the first week [default: no deadlines].",
            metavar="YYYY-MM-DD",
            type=click.DateTime(formats=["%Y-%m-%d"]),
        ),
    ],
) -> None:
    """Create a campaign home at DIR: campaign.toml, store, images/. An existing home is not changed.

    Templates have phases, people, deadlines and guidelines. subfigures: as in MedICaT. figure-qa: question-answer
    pairs validated, then answered, as in SciVQA. figure-types: types of figures. human-eval: human answers.
    """
    from annotator.campaign.home import DEFAULT_LABELS, Home, name_of
    from panelwise.settings import FILE_NAME

    stray = [f"--{key}" for key, given in _of_template(annotators, reviewers, start) if given]
    if template is None and stray:
        raise click.UsageError(f"{stray[0]} needs --template")
    wanted = listed_names(labels)
    there = (directory / FILE_NAME).is_file()
    settings = guidelines = ""
    if not there:
        from annotator.campaign.templates import initial_texts

        settings, guidelines = initial_texts(
            template or "",
            name or name_of(directory),
            wanted,
            annotators=listed_names(annotators),
            reviewers=listed_names(reviewers),
            start=None if start is None else start.date(),
        )
    home = Home.create(
        directory, name=name, labels=wanted or DEFAULT_LABELS, settings=settings, guidelines=guidelines
    )
    if there:
        click.echo(f'{home.path}: campaign "{home.campaign.name}" already exists')
        if (name and name != home.campaign.name) or (wanted and wanted != home.campaign.labels):
            warn(f"name and labels not changed; edit {home.path / FILE_NAME} to change them")
        if template is not None:
            warn(f"template not applied; edit {home.path / FILE_NAME}, or create a new home from the template")
    else:
        click.echo(f'{home.path}: created campaign "{home.campaign.name}"')
        if template is not None:
            phases = ", ".join(phase.name for phase in home.campaign.phases)
            click.echo(f"phases {phases}: review {FILE_NAME} and {home.campaign.guideline_file}")


def _of_template(annotators: str, reviewers: str, start: datetime | None) -> list[tuple[str, bool]]:
    return [
        ("annotators", bool(annotators)),
        ("reviewers", bool(reviewers)),
        ("start", start is not None),
    ]
