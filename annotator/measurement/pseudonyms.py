"""Numbers in place of annotators' names in agreement reports."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence

from agreement.report import Report, people_in
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import FreeText, annotators_by_number, pseudonyms


def numbered_annotators(report: Report, homes: Sequence[Home]) -> dict[str, str]:
    """Return annotator -> "Annotator N" for all annotators in a report; not in the order of their names.

    homes: among the sources. The first one's secret orders the numbers, so that nobody without it can tell who has
    which. Without a home a hash of the name does, which whoever knows all names can repeat.
    """
    people = people_in(report)
    if not homes:
        return annotators_by_number(people, lambda name: hashlib.sha256(name.encode()).hexdigest())
    with homes[0].open_store() as store, store.read() as tx:
        return annotators_by_number(people, pseudonyms(homes[0], tx).of)


def texts_with_names(report: Report, names: Collection[str]) -> list[str]:
    """Return the phases, batches and figures (by id) whose own texts, captions included, name an annotator."""
    named = FreeText(names).names_in
    periods = report.drift.periods if report.drift is not None else ()
    texts = {f'phase "{report.phase}"': report.phase or ""}
    texts |= {f'period "{period.name}"': period.name for period in periods}
    texts |= {f'figure "{each.figure}"': each.figure for each in report.figures}
    for each in report.worst:
        texts[f'figure "{each.figure.id}"'] = f"{each.figure.id} {each.figure.caption.text}"
    return [what for what, text in texts.items() if named(text)]
