"""Options and formats of the output of `prelabel evaluate` and `prelabel effort`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.agreement.options import ResampleOptions
from annotator.cli.parameters import Option, OptionGroup

if TYPE_CHECKING:
    from annotator.prelabels.evaluate import Drawing

JSON, CSV, MARKDOWN = "json", "csv", "markdown"
Worst = Annotated[int, Option("Worst figures listed.", type=click.IntRange(0, 10_000), default=10)]


class IntervalOptions(OptionGroup):
    """Options of the articles to hold out, and of confidence intervals."""

    apart: Annotated[
        tuple[str, ...],
        Option("Hold out this article: `source.document`, or its end (repeatable).", metavar="ARTICLE"),
    ]
    apart_least: Annotated[
        int,
        Option(
            "Hold out the N articles with the smallest SHA-256 of their names.",
            type=click.IntRange(0),
            default=0,
        ),
    ]
    resampling: ResampleOptions

    def drawing(self) -> Drawing:
        """Return the settings of the intervals."""
        from annotator.prelabels.evaluate import Apart, Drawing

        return Drawing(Apart(self.apart, self.apart_least), self.resampling.bootstrap, self.resampling.seed)
