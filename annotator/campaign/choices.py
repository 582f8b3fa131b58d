"""Validate chosen phases and people, so that a misspelt name is not taken for one without work."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from panelwise.domain import AnnotatorError
from panelwise.runtime import first_of
from panelwise.settings import FILE_NAME

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Transaction
    from panelwise.domain import Campaign


def phases_in_order(tx: Transaction, campaign: Campaign) -> tuple[list[str], set[str]]:
    """Return the campaign's phases in order, then other phases with submitted work; and those with work."""
    worked = tx.annotations.phases()
    known = [phase.name for phase in campaign.phases]
    return [*known, *sorted(worked - set(known))], worked


def newest_measured(tx: Transaction, campaign: Campaign) -> str:
    """Return the newest phase whose work can be compared, else the newest with work; "" without any.

    Work is compared where two annotators share a figure; answers of human evaluation are compared to the gold.
    """
    names, worked = phases_in_order(tx, campaign)
    newest = [name for name in reversed(names) if name in worked]
    compared = (name for name in newest if campaign.phase(name).kind.answered or tx.annotations.is_shared(name))
    return next(compared, newest[0] if newest else "")


def check_chosen(tx: Transaction, home: Home, *, phase: str | None, annotator: str | None) -> None:
    """Raise AnnotatorError, listing the existing ones, for a phase or person that the campaign doesn't have.

    A phase exists in campaign.toml or by work in it, a person by an account, tasks or work. None is valid.
    """
    if phase is not None:
        known = {each.name for each in home.campaign.phases} | tx.annotations.phases()
        check_among(phase, known, "phase", str(home.path))
    if annotator is not None:
        check_among(annotator, tx.names.all(), "annotator", str(home.path))


def check_phase_to_assign(
    tx: Transaction, campaign: Campaign, phase: str, *, closed: Collection[str] = ()
) -> None:
    """Raise AnnotatorError for a phase that is not in campaign.toml and has no work.

    closed: figures whose work does not count, since the person who asks annotates them blind.
    """
    known = {each.name for each in campaign.phases}
    if phase not in known and closed:
        known |= {annotation.phase for annotation in tx.annotations.all() if annotation.figure.id not in closed}
    elif phase not in known:
        known |= tx.annotations.phases()
    if phase not in known:
        raise AnnotatorError(
            f'{FILE_NAME}: has no phase "{phase}"; add a table [[phases]], or choose {_one_of(known)} with --phase'
        )


def check_among(chosen: str, among: Collection[str], kind: str, where: str, *, option: str = "") -> None:
    """Raise AnnotatorError for an unknown choice.

    kind: "phase" or "annotator". where: a file or home. option: that was used, by default the kind's.
    """
    option = option or f"--{kind}"
    if chosen not in among:
        mend = f"; choose {_one_of(among)} with {option}" if among else f", nor any other; leave out {option}"
        raise AnnotatorError(f'{where}: has no {kind} "{chosen}"{mend}')


def _one_of(names: Collection[str]) -> str:
    """List the first names in order, with the number of others."""
    return f"{'one of ' if len(names) > 1 else ''}{first_of(sorted(names))}"
