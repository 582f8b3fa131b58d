"""`annotator init`: make a campaign's home."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from annotator.cli.commandline import warn

#: Kept here so that `--help` reads no template; a test holds the two together.
TEMPLATE_NAMES = ("subfigures", "figure-qa", "figure-types", "human-eval")


def _named(given: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in given.split(",") if name.strip())


@click.command(epilog="Example: annotator init chest-figures --template subfigures --start 2026-12-01")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False))
@click.option("--name", default="", help="The campaign's name [default: that of the folder].")
@click.option("--labels", default="", help="Labels of subfigures, comma separated [default: A to Z].")
@click.option(
    "--template", type=click.Choice(TEMPLATE_NAMES), default=None, help="A ready campaign to begin with."
)
@click.option("--annotators", default="", help="With --template: names, comma separated [default: stand-ins].")
@click.option("--reviewers", default="", help="With --template: names, comma separated [default: stand-ins].")
@click.option(
    "--start",
    type=click.DateTime(formats=["%Y-%m-%d"]),
    default=None,
    metavar="YYYY-MM-DD",
    help="With --template: when the first week begins [default: no deadlines].",
)
def command(
    directory: str,
    name: str,
    labels: str,
    template: str | None,
    annotators: str,
    reviewers: str,
    start: datetime | None,
) -> None:
    """Make DIR a campaign's home: campaign.toml, store, images/. An existing home is left as it is.

    A template has phases, people, deadlines and guidelines: subfigures in two phases as MedICaT was made; pairs
    validated in weekly batches and answered by people as SciVQA was made; figure types; answers alone.
    """
    from annotator.campaign.home import DEFAULT_LABELS, Home, name_of
    from panelwise.settings.campaign_toml import FILE_NAME

    if directory == "":
        raise click.BadParameter('"" names no folder; give one, such as chest-figures', param_hint="DIR")
    stray = [f"--{key}" for key, given in _of_template(annotators, reviewers, start) if given]
    if template is None and stray:
        raise click.UsageError(f"{stray[0]} fills in a template; choose one with --template")
    folder = Path(directory)
    wanted = _named(labels)
    there = (folder / FILE_NAME).is_file()
    settings = guidelines = ""
    if template is not None and not there:
        from annotator.campaign.templates import TEMPLATES

        chosen = TEMPLATES[template]
        campaign = chosen.campaign(
            name or name_of(folder),
            wanted or DEFAULT_LABELS,
            annotators=_named(annotators),
            reviewers=_named(reviewers),
            start=None if start is None else start.date(),
        )
        settings, guidelines = chosen.text(campaign), chosen.guidelines()
    home = Home.create(
        folder, name=name, labels=wanted or DEFAULT_LABELS, settings=settings, guidelines=guidelines
    )
    if there:
        click.echo(f'{home.path}: campaign "{home.campaign.name}" is there already')
        if (name and name != home.campaign.name) or (wanted and wanted != home.campaign.labels):
            warn(f"its name and labels stay as they are; edit {home.path / FILE_NAME} to change them")
        if template is not None:
            warn(f"its phases stay as they are; edit {home.path / FILE_NAME}, or make a new home for the template")
    else:
        click.echo(f'{home.path}: campaign "{home.campaign.name}" is ready')
        if template is not None:
            phases = ", ".join(phase.name for phase in home.campaign.phases)
            click.echo(f"phases {phases}: look through {FILE_NAME} and {home.campaign.guideline_file}")


def _of_template(annotators: str, reviewers: str, start: datetime | None) -> list[tuple[str, bool]]:
    return [
        ("annotators", bool(annotators)),
        ("reviewers", bool(reviewers)),
        ("start", start is not None),
    ]
