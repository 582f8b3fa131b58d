"""What `--format html` needs: images, the address of the adjudication view, how many figures to show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from annotator.cli.commandline import typed, warn
from panelwise.domain.errors import AnnotatorError

if TYPE_CHECKING:
    from agreement.report.html.worst import Pictures

Function = TypeVar("Function", bound=Callable[..., Any])
#: The layout that these options are for, and how many of the worst figures it shows.
HTML, WORST = "html", 20
#: So many figures with their images stay below two megabytes.
MOST_WORST = 50


def _address(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """An address that a browser opens as a page, and nothing else."""
    if value is None:
        return None
    try:
        parts = urlsplit(value)
        good = (
            parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
        )
    except ValueError:
        good = False
    if not good or any(letter.isspace() for letter in value):
        raise click.BadParameter(f'"{value}" is no address of the view, such as http://127.0.0.1:5000')
    return value


def page_options(function: Function) -> Function:
    """`--images`, `--view` and `--worst`, all for `--format html`."""
    for option in reversed(
        (
            click.option(
                "--images",
                type=click.Path(path_type=Path),
                help="For html: a folder whose images are named by figure id or listed in its figures.jsonl, that "
                "file, or a campaign's home [default: the homes among the sources].",
            ),
            click.option(
                "--view",
                metavar="URL",
                callback=_address,
                help="For html: address of the adjudication view (annotator serve), to link figures and pairs to.",
            ),
            click.option(
                "--worst",
                type=click.IntRange(0, MOST_WORST),
                default=WORST,
                show_default=True,
                help="For html: how many of the worst figures to show.",
            ),
        )
    ):
        function = option(function)
    return function


def refuse_pictures(out: Path | None, images: Path | None) -> None:
    """Refuse to write over what `--images` reads: a file there that is no page. Raises AnnotatorError."""
    if out is None or images is None or not out.is_file():
        return
    folder = (images if images.is_dir() else images.parent).resolve()
    place = out.resolve()
    if place == images.resolve() or (folder in place.parents and place.suffix.lower() not in (".html", ".htm")):
        raise AnnotatorError(f"{out}: lies among what --images reads; name another file for --out")


def shown_worst(layout: str, worst: int) -> int:
    """How many figures to look into: none unless a page is made. Refuses, as wrong usage, options without one."""
    if layout == HTML:
        return worst
    needless = typed("images", "view", "worst")
    if needless:
        raise click.UsageError(f"{needless[0]} is for --format html; leave it out, or add that")
    return 0


def render_page(
    make: Callable[[Pictures], str],
    sources: Sequence[Path],
    *,
    images: Path | None,
    home: Path | None = None,
    worst: int,
) -> str:
    """The page that `make` makes, given where pictures come from; what has no image is told on stderr.

    sources: those of the report; of none, the campaign's home is the source.
    """
    from annotator.campaign.home import Home
    from annotator.measurement.report_pictures import ReportPictures, homes_among

    homes = homes_among(sources) if sources else [Home.find(home)]
    pictures = ReportPictures(homes, images=images, number=worst, warn=warn)
    page = make(pictures)
    if told := pictures.summary():
        warn(told)
    return page


def source_names(sources: Sequence[Path], home: Path | None = None) -> list[str]:
    """What a page calls its sources: the names of files and folders, not where they lie."""
    from annotator.campaign.home import Home

    return [each.name or each.resolve().name for each in sources] or [Home.find(home).path.name]
