"""The rule on what is hidden from a blind reviewer: all work on the figures of their open blind tasks.

A figure is hidden from its assignment, even if its batch is not released, until the reviewer hands it in.
Everything that shows work asks here; `web.app.blindfold` applies the rule to the view's routes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.store.rows.records import Hidden
from panelwise.domain import AnnotatorError
from panelwise.settings import FILE_NAME

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Transaction


class Blindfolded(AnnotatorError):
    """The request would show work on a figure that the person annotates blind.

    closed: the page is computed from all figures. uncertain: it is unknown at the moment which figures are
    annotated blind; see `Home.uncertain`.
    """

    def __init__(self, *, closed: bool, uncertain: bool = False) -> None:
        self.uncertain = uncertain
        if uncertain:
            super().__init__(
                f"{FILE_NAME} has just changed or can't be read, so all figures that are assigned to you "
                "count as annotated blind; try again in a moment, and if that fails, inform the campaign's lead"
            )
            return
        what = "this page is measured on all figures, some of which" if closed else "this is a figure that"
        super().__init__(
            f"{what} you annotate blind; write yours and hand it in under Blind, then it is open to you"
        )


def hides_nothing(home: Home) -> bool:
    """Return whether certainly no phase is annotated blind."""
    return not home.uncertain and not any(phase.blind for phase in home.campaign.phases)


def hidden_work(tx: Transaction, home: Home, reviewer: str) -> Hidden:
    """Return the reviewer's tasks that hide work: those of the blind phases.

    While it is uncertain which phases are blind, tasks of every phase are returned: hiding a figure too long is
    safer than showing it too early.
    """
    if home.uncertain:
        return Hidden(reviewer, tx.tasks.phases_of(reviewer))
    return Hidden(reviewer, tuple(phase.name for phase in home.campaign.phases if phase.blind))


def hidden_from(tx: Transaction, home: Home, reviewer: str) -> Hidden | None:
    """Return what is hidden from the reviewer now; None if nothing is."""
    hidden = hidden_work(tx, home, reviewer)
    return hidden if tx.blind.hides(hidden) else None
