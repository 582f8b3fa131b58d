"""First, independent work: an annotator's last submission before others' work or a hint about the figure came.

A hint is a return by a reviewer, feedback, a comment of another, or a look at others' work or the decision. Own
corrections before it count. Gold and the reviewers' queue use the latest work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from agreement.trends import History
from panelwise.domain import Annotation

if TYPE_CHECKING:
    from annotator.store.store import Transaction


@dataclass(slots=True)
class Independence:
    """Record of the history of the work that `independent_work` selects.

    knew: (annotator, figure) -> since when they know others' work on it. later: the work that replaced independent
    work. returned: (annotator, figure, phase) of those that a reviewer had sent back.
    """

    knew: dict[tuple[str, str], datetime] = field(default_factory=dict)
    later: list[Annotation] = field(default_factory=list)
    returned: set[tuple[str, str, str]] = field(default_factory=set)

    def history(self, phase: str | None) -> History:
        """Return what a report on a phase needs of it; None for all phases."""
        later = tuple(each for each in self.later if phase is None or each.phase == phase)
        returned = {(annotator, figure) for annotator, figure, of in self.returned if phase is None or of == phase}
        return History(self.knew, later, frozenset(returned))


def independent_work(
    tx: Transaction, annotations: Iterable[Annotation], found: Independence
) -> Iterator[Annotation]:
    """Yield the independent annotation in place of each current one. found: gets what is known of the others."""
    contacts = tx.seen.contacts()
    found.knew.update((key, times[0].at) for key, times in contacts.items() if key not in found.knew)
    for current in annotations:
        times = contacts.get((current.annotator, current.figure.id), ())
        if not any(contact.at < current.saved_at for contact in times):
            yield current
            continue
        history = [
            each
            for each in tx.annotations.history(current.figure.id, current.annotator, current.phase)
            if each.figure.revision == current.figure.revision and each.saved_at <= current.saved_at
        ]
        # Contacts from before the first submission make all of it work on a known figure, none of it later work.
        since = [contact for contact in times if contact.at >= history[0].saved_at]
        independent = [each for each in history if not since or each.saved_at <= since[0].at][-1]
        if independent.saved_at < current.saved_at:
            found.later.append(current)
            if any(contact.returned and contact.at < current.saved_at for contact in since):
                found.returned.add((current.annotator, current.figure.id, current.phase))
        yield independent
