"""What is kept from a reviewer who annotates blind: everybody's work on the figures of their open blind tasks.

A figure is hidden from the reviewer from the moment it is assigned, whether their batch is out or not, until they
hand it in. All that shows work asks here; what the view's routes do with the answer stands in `web.blindfold`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.store.rows.records import Hidden
from panelwise.domain.errors import AnnotatorError
from panelwise.settings.campaign_toml import FILE_NAME

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Transaction


class Blindfolded(AnnotatorError):
    """What was asked for would show work on a figure that whoever asks annotates blind.

    closed: it is no single figure's, but made of all. uncertain: the settings do not say for sure which figures
    are annotated blind; see `Home.uncertain`.
    """

    def __init__(self, *, closed: bool, uncertain: bool = False) -> None:
        self.uncertain = uncertain
        if uncertain:
            super().__init__(
                f"{FILE_NAME} was changed a moment ago or cannot be read, so all figures that are assigned to you "
                "count as annotated blind; try again in a moment, and if it stays so, tell the campaign's lead"
            )
            return
        what = "this page is measured on all figures, some of which" if closed else "this is a figure that"
        super().__init__(
            f"{what} you annotate blind; write yours and hand it in under Blind, then it is open to you"
        )


def hides_nothing(home: Home) -> bool:
    """Whether no phase is annotated blind, for certain."""
    return not home.uncertain and not any(phase.blind for phase in home.campaign.phases)


def hidden_work(tx: Transaction, home: Home, reviewer: str) -> Hidden:
    """The reviewer's tasks that hide work: those of the blind phases.

    While it is uncertain which phases are blind, those of every phase: a figure is rather hidden for a moment too
    long than shown once too often.
    """
    if home.uncertain:
        return Hidden(reviewer, tx.assigned_phases(reviewer))
    return Hidden(reviewer, tuple(phase.name for phase in home.campaign.phases if phase.blind))


def hidden_from(tx: Transaction, home: Home, reviewer: str) -> Hidden | None:
    """What is hidden from the reviewer now; None where nothing is."""
    hidden = hidden_work(tx, home, reviewer)
    return hidden if tx.hides(hidden) else None
