"""Feedback to one annotator: their own work compared with the reviewers' decisions.

It names no other person and shows no other annotator's work. A figure that the annotator still has to do in any
phase is not shown, so that they can't copy the gold; hidden gold is never, so that it stays unknown.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agreement.models import Comparison
from agreement.pairs import FigureMean, worst_first
from agreement.report import LossRow, loss_rows
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import pseudonyms
from annotator.checks.qualification import compare_with_gold
from annotator.dashboards.compared_to_gold import ComparedToGold, compare_to_gold
from annotator.store.store import Store, Transaction
from panelwise.domain import Annotation, Attention, Campaign, Decision, Status, StoreError

if TYPE_CHECKING:
    from agreement.score import Loss

#: Figures on a page.
PER_PAGE = 20
#: Maximum number of cached states of feedback.
_KEPT = 16
#: Key of a cached state: the campaign's settings, and the store's mark of the work.
_Mark = tuple[Campaign, str]


def has_feedback(campaign: Campaign) -> bool:
    """Return whether a campaign has what feedback compares: work that reviewers adjudicate."""
    return any(phase.kind.adjudicated for phase in campaign.phases)


class NoFeedback(StoreError):
    """No feedback exists for the requested person, phase or figure."""


@dataclass(frozen=True, slots=True)
class FigureFeedback:
    """One figure with differences, or the requested one. score: None if no subfigure is scored.

    lost: the main cause of loss, None without loss. error_kind: as set by the reviewer, or "".
    """

    decision: Decision
    own: Annotation
    score: float | None
    lost: Loss | None
    compared: ComparedToGold

    @property
    def error_kind(self) -> str:
        """Return the kind of error that the reviewer set, or ""."""
        return "" if self.decision.error_kind is None else self.decision.error_kind.value


@dataclass(frozen=True, slots=True)
class FeedbackPage:
    """One annotator in one phase. phases: those with adjudicated figures of the annotator.

    score: mean F1 against the gold over the scored subfigures, None for the given `reason`. drawn: the phase asks
    for subfigures; else `alike` of the `judged` items say the same as the gold. compared: figures with gold. same:
    those without differences. held_back: adjudicated, but still to be done by the annotator.
    attention: how they worked in the phase, None if not recorded.
    """

    annotator: str
    key: str
    phase: str
    phases: tuple[str, ...]
    score: float | None
    reason: str
    compared: int
    same: int
    held_back: int
    losses: tuple[LossRow, ...]
    figures: tuple[FigureFeedback, ...]
    page: int
    pages: int
    attention: Attention | None = None
    drawn: bool = True
    judged: int = 0
    alike: int = 0


@dataclass(frozen=True, slots=True)
class _Measured:
    """The adjudicated figures of one annotator in one phase; see `FeedbackPage`.

    order: ids of figures with differences, worst first.
    """

    comparison: Comparison
    work: Mapping[str, Annotation]
    gold: Mapping[str, Decision]
    means: Mapping[str, FigureMean]
    order: tuple[str, ...]
    held_back: int
    drawn: bool
    judged: int
    alike: int


class Feedback:
    """Feedback in one campaign, thread-safe, recomputed after a change."""

    def __init__(self, home: Callable[[], Home], store: Store) -> None:
        """home: returns the campaign's home with its settings as they are now."""
        self._home = home
        self._store = store
        self._lock = threading.Lock()
        self._measuring = threading.Lock()
        self._kept: OrderedDict[str, tuple[_Mark, dict[str, _Measured]]] = OrderedDict()

    def annotator_of(self, typed: str) -> str:
        """Return the annotator of that name or pseudonym. Raises NoFeedback if it is unknown."""
        with self._store.read() as tx:
            names = tx.statistics.annotators()
            if typed in names:
                return typed
            of = pseudonyms(self._home(), tx).of
            found = next((name for name in sorted(names) if of(name) == typed), None)
        if found is None:
            raise NoFeedback("no annotator of that name has submitted work; choose a name on the dashboard")
        return found

    def annotators(self) -> tuple[tuple[str, str], ...]:
        """Return pseudonym and name of each annotator with submitted work, by name."""
        with self._store.read() as tx:
            of = pseudonyms(self._home(), tx).of
            return tuple((of(name), name) for name in sorted(tx.statistics.annotators()))

    def key_of(self, annotator: str) -> str:
        """Return the annotator's pseudonym in addresses."""
        with self._store.read() as tx:
            return pseudonyms(self._home(), tx).of(annotator)

    def page(self, annotator: str, phase: str | None = None, *, page: int = 1) -> FeedbackPage:
        """Return a page of one annotator's feedback. phase: by default the last with adjudicated figures.

        Raises NoFeedback for an unknown phase.
        """
        by_phase = self._measured(annotator)
        key = self.key_of(annotator)
        chosen = next(reversed(by_phase), "") if phase is None else phase
        listed = ("", *(each.name for each in self._home().campaign.phases))
        if chosen not in by_phase and chosen in listed:
            reason = "none of your figures is adjudicated yet"
            return FeedbackPage(annotator, key, chosen, tuple(by_phase), None, reason, 0, 0, 0, (), (), 1, 1)
        found = self._of_phase(by_phase, chosen)
        pages = max(1, -(-len(found.order) // PER_PAGE))
        page = min(max(page, 1), pages)
        shown = found.order[(page - 1) * PER_PAGE : page * PER_PAGE]
        with self._store.read() as tx:
            attention = tx.statistics.attention(annotator).get((chosen, annotator))
        return FeedbackPage(
            annotator=annotator,
            key=key,
            phase=chosen,
            phases=tuple(by_phase),
            score=found.comparison.score,
            reason=found.comparison.reason,
            compared=len(found.work),
            same=len(found.work) - len(found.order),
            held_back=found.held_back,
            losses=loss_rows(found.comparison.losses),
            figures=tuple(_figure(found, figure_id) for figure_id in shown),
            page=page,
            pages=pages,
            attention=attention,
            drawn=found.drawn,
            judged=found.judged,
            alike=found.alike,
        )

    def figure(self, annotator: str, phase: str, figure_id: str) -> FigureFeedback:
        """Return one figure of an annotator's feedback. Raises NoFeedback if it is not part of it."""
        found = self._of_phase(self._measured(annotator), phase)
        if figure_id not in found.work:
            raise NoFeedback("no feedback on this figure; it is not adjudicated or was not submitted")
        return _figure(found, figure_id)

    def may_see(self, annotator: str, figure_id: str) -> bool:
        """Return whether a figure is part of the annotator's feedback in any phase."""
        return any(figure_id in found.work for found in self._measured(annotator).values())

    def _of_phase(self, by_phase: Mapping[str, _Measured], phase: str) -> _Measured:
        if phase not in by_phase:
            raise NoFeedback(
                "no figure of that phase is adjudicated yet; the comparison lists the phases that have some"
            )
        return by_phase[phase]

    def _measured(self, annotator: str) -> dict[str, _Measured]:
        home = self._home()
        with self._store.read() as tx:
            mark = home.campaign, f"{tx.annotations.mark()} {tx.statistics.mark()}"
        found = self._of(annotator, mark)
        if found is None:
            # One computation at a time; requests for a cached state don't wait.
            with self._measuring:
                found = self._of(annotator, mark)
                if found is None:
                    with self._store.read() as tx:
                        found = _measure(tx, home, annotator)
                    with self._lock:
                        self._kept[annotator] = (mark, found)
                        while len(self._kept) > _KEPT:
                            self._kept.popitem(last=False)
        return found

    def _of(self, annotator: str, mark: _Mark) -> dict[str, _Measured] | None:
        """Return the cached state."""
        with self._lock:
            kept = self._kept.get(annotator)
            if kept is None or kept[0] != mark:
                return None
            self._kept.move_to_end(annotator)
            return kept[1]


def _measure(tx: Transaction, home: Home, annotator: str) -> dict[str, _Measured]:
    """Return phase -> adjudicated figures, in the campaign's order of phases."""
    gold: dict[str, Decision] = {}
    done: dict[str, dict[str, Annotation]] = {}
    hidden = tx.tasks.hidden()
    for own, decision in tx.work.adjudicated(annotator):
        if (own.figure.id, annotator, own.phase) in hidden:
            continue
        if home.campaign.phase(own.phase).kind.adjudicated and decision.status is not Status.IGNORED:
            gold[own.figure.id] = decision
            done.setdefault(own.phase, {})[own.figure.id] = own
    waiting = tx.work.waiting(annotator)
    listed = [phase.name for phase in home.campaign.phases]
    order = [*listed, *sorted(set(done) - set(listed))]
    return {
        phase: _in_phase(done[phase], gold, waiting, drawn=home.campaign.phase(phase).kind.drawn)
        for phase in order
        if phase in done
    }


def _in_phase(
    done: dict[str, Annotation], gold: dict[str, Decision], waiting: set[str], *, drawn: bool
) -> _Measured:
    work = {figure_id: each for figure_id, each in done.items() if figure_id not in waiting}
    if not drawn:
        return _on_items(work, gold, len(done) - len(work))
    found = compare_with_gold((own, gold[name]) for name, own in work.items())
    means = {figure.figure: figure for figure in found.figures}
    worst = [each.figure for each in worst_first(found.figures)]
    known = set(worst)
    # Differences may exist outside of what is scored.
    others = [
        name
        for name in sorted(work)
        if name not in known
        and not _same(gold[name], work[name])
        and compare_to_gold(gold[name], work[name]).differs
    ]
    order = (*worst, *others)
    return _Measured(found, work, gold, means, order, len(done) - len(work), drawn=True, judged=0, alike=0)


def _on_items(work: dict[str, Annotation], gold: dict[str, Decision], held_back: int) -> _Measured:
    """Compare figure types and pairs: the figures with most differences first."""
    compared = {name: compare_to_gold(gold[name], own, drawn=False) for name, own in work.items()}
    order = sorted(
        (name for name, each in compared.items() if each.differs),
        key=lambda name: (-len(compared[name].lines), name),
    )
    return _Measured(
        compare_with_gold(()),
        work,
        gold,
        {},
        tuple(order),
        held_back,
        drawn=False,
        judged=sum(each.judged for each in compared.values()),
        alike=sum(each.alike for each in compared.values()),
    )


def _same(decision: Decision, own: Annotation) -> bool:
    """Return whether both sides are identical, by a quick comparison."""
    return decision.status is own.status and set(decision.subfigures) == set(own.subfigures)


def _figure(found: _Measured, figure_id: str) -> FigureFeedback:
    mean = found.means.get(figure_id)
    decision, own = found.gold[figure_id], found.work[figure_id]
    return FigureFeedback(
        decision,
        own,
        None if mean is None else mean.score,
        None if mean is None else mean.lost,
        compare_to_gold(decision, own, drawn=found.drawn),
    )
