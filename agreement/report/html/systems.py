"""Systems that answer questions as one HTML file; see `agreement.report.html.report`."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.questions.systems import SystemComparison
from agreement.report.html.page import render
from agreement.report.text.systems import SHOWN


def systems_html(found: SystemComparison, *, sources: Sequence[str] = ()) -> str:
    """Return the comparison as a page, with a final newline. sources: names of the files of gold and answers."""
    sections = {"ranking": "Ranking", "types": "Types of question", "counts": "Counts"}
    return render(
        "systems.html",
        {
            "found": found,
            "shown": {key: name for key, name in SHOWN.items() if key in found.ranking[0].measures},
            "by_type": [each for each in found.scores if each.kind is not None],
            "sources": sources,
            "sections": list(sections.items()),
        },
    )
