"""Options of `--format html`: images, address of the adjudication view, number of figures to show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.commandline import campaign_at, refuse_typed, warn
from annotator.cli.parameters import Option, OptionGroup
from panelwise.domain import AnnotatorError
from panelwise.runtime import server_address

if TYPE_CHECKING:
    from agreement.report import Pictures

#: The layout of these options, and the default number of worst figures.
HTML, WORST = "html", 20
#: This many figures with their images stay below two megabytes.
MOST_WORST = 50


def _address(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Return the address if a browser can open it as a page. Fails with wrong usage."""
    if value is None:
        return None
    parts = server_address(value)
    if parts is None or parts.query or parts.fragment:
        raise click.BadParameter(f'"{value}" is not an address; use one such as http://127.0.0.1:8090')
    return value


class PageOptions(OptionGroup):
    """Options of `--format html`."""

    images: Annotated[
        Path | None,
        Option(
            "For html: the images: a folder, its figures.jsonl, or a campaign home [default: the homes among the "
            "sources]."
        ),
    ]
    view: Annotated[
        str | None, Option("For html: adjudication view to link to.", metavar="URL", callback=_address)
    ]
    worst: Annotated[
        int, Option("For html: worst figures to show.", type=click.IntRange(0, MOST_WORST), default=WORST)
    ]


def refuse_pictures(out: Path | None, images: Path | None) -> None:
    """Refuse to overwrite a file that `--images` reads. Raises AnnotatorError."""
    if out is None or images is None or not out.is_file():
        return
    folder = (images if images.is_dir() else images.parent).resolve()
    place = out.resolve()
    if place == images.resolve() or (folder in place.parents and place.suffix.lower() not in (".html", ".htm")):
        raise AnnotatorError(f"{out}: is among the files of --images; name another file for --out")


def shown_worst(layout: str, worst: int) -> int:
    """Return the number of worst figures: 0 unless the layout is html. Refuses html options with other layouts."""
    if layout == HTML:
        return worst
    refuse_typed("needs --format html", "images", "view", "worst")
    return 0


def render_page(
    make: Callable[[Pictures], str],
    sources: Sequence[Path],
    *,
    images: Path | None,
    home: Path | None = None,
    worst: int,
) -> str:
    """Render the page with `make`; figures without an image are named on stderr.

    sources: of the report; if empty, the campaign home.
    """
    from annotator.measurement.report_pictures import ReportPictures, homes_among

    homes = homes_among(sources) if sources else [campaign_at(home)]
    pictures = ReportPictures(homes, images=images, number=worst, warn=warn)
    page = make(pictures)
    if missing := pictures.summary():
        warn(missing)
    return page


def source_names(sources: Sequence[Path], home: Path | None = None) -> list[str]:
    """Return the sources' names for the page: file and folder names without their paths."""

    return [each.name or each.resolve().name for each in sources] or [campaign_at(home).path.name]
