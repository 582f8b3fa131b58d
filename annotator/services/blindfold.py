"""What is kept from a reviewer who annotates blind: everybody's work on the figures of their open blind tasks.

A figure is hidden from the reviewer from the moment it is assigned, whether their batch is out or not, until they
hand it in. All that shows work asks here; what the view's routes do with the answer stands in `web.blindfold`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotator.domain.errors import AnnotatorError
from annotator.store.records import Hidden

if TYPE_CHECKING:
    from annotator.domain.campaign import Campaign
    from annotator.store.store import Transaction


class Blindfolded(AnnotatorError):
    """What was asked for would show work on a figure that whoever asks annotates blind.

    closed: it is no single figure's, but made of all.
    """

    def __init__(self, *, closed: bool) -> None:
        what = "this page is measured on all figures, some of which" if closed else "this is a figure that"
        super().__init__(
            f"{what} you annotate blind; write yours and hand it in under Blind, then it is open to you"
        )


def blind_phases(campaign: Campaign) -> tuple[str, ...]:
    """The names of the blind phases, in the campaign's order."""
    return tuple(phase.name for phase in campaign.phases if phase.blind)


def hidden_from(tx: Transaction, campaign: Campaign, reviewer: str) -> Hidden | None:
    """What is hidden from the reviewer now; None where nothing is."""
    hidden = Hidden(reviewer, blind_phases(campaign))
    return hidden if tx.hides(hidden) else None
