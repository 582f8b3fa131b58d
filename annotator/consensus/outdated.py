"""Work that stands on another revision of its figure: whose caption or image has been replaced since.

Such work is kept and readable, and counts for nothing until the figure goes back to that revision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from annotator.consensus.items import is_adjudicated
from annotator.store.rows.records import Revisions
from panelwise.domain.annotation import Annotation
from panelwise.domain.errors import InvalidAnnotation

if TYPE_CHECKING:
    from annotator.store.store import Transaction
    from panelwise.domain.campaign import Campaign
    from panelwise.domain.figure import Figure


def left_behind(tx: Transaction, figure_id: str) -> tuple[Annotation, ...]:
    """The annotations of a figure that stand on another revision, as far as nobody has done them again since.

    Of each annotator and phase the newest, by annotator and phase.
    """
    others = list(tx.annotations(figure=figure_id, revisions=Revisions.OTHER))
    return not_done_again(others, tx.annotations(figure=figure_id)) if others else ()


def not_done_again(others: Iterable[Annotation], present: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """Of work on other revisions the newest of each figure, annotator and phase that `present` lacks."""
    done = {key_of(each) for each in present}
    newest: dict[tuple[str, str, str], Annotation] = {}
    for each in others:
        key = key_of(each)
        if key not in done and (key not in newest or newest[key].saved_at <= each.saved_at):
            newest[key] = each
    return tuple(newest.values())


def worked_on(
    tx: Transaction, found: Figure, *, numbered: bool = False, alike: Collection[int] = ()
) -> tuple[Figure, bool]:
    """The revision that work on `given`, a figure as a file has it, is of; and whether it is the present one.

    The one of its number where that has its caption and size; else the present one, else the last before that has
    them; where none has, the present one, so that what differs can be told. numbered: whether the file gives
    the number. alike: the numbers in the file of revisions of this figure with one caption and size. Raises
    InvalidAnnotation where work bears the number of a revision that the home lacks, unless the home has but a
    first one: that may be a later one elsewhere. Raises StoreError for an unknown figure.
    """
    present = tx.figure(found.id)
    if present.revision == found.revision and _fits(found, present) and not alike:
        return present, True
    every = tx.figure_revisions(found.id)
    if numbered:
        _check_number(found, [each.revision for each in every], alike)
    same = [each for each in every if each.revision == found.revision]
    found = next((each for each in (*same, present, *reversed(every)) if _fits(found, each)), present)
    return found, found.revision == present.revision


def _check_number(given: Figure, known: Sequence[int], alike: Collection[int]) -> None:
    """Raise InvalidAnnotation where boxes might come onto another image than they were drawn on."""
    if known == [1]:
        if alike:
            listing = ", ".join(map(str, sorted(alike)))
            raise InvalidAnnotation(
                f'figure "{given.id}": the file has work on its revisions {listing}, of one caption and size, and '
                "nobody can tell which image this home has; left out, export it again with --revision current"
            )
    elif given.revision not in known:
        when = "an earlier" if given.revision < max(known) else "another"
        raise InvalidAnnotation(
            f'figure "{given.id}": made on {when} caption or image (revision {given.revision}), which this home '
            f"does not have (revision {listed(map(str, known))}); left out, copy the whole home to keep such work"
        )


def _fits(given: Figure, stored: Figure) -> bool:
    sizes = (given.width, given.height), (stored.width, stored.height)
    return given.caption.text == stored.caption.text and sizes[0] == sizes[1]


def worked_on_before(tx: Transaction, campaign: Campaign) -> set[str]:
    """Ids of the figures on which somebody did or decided, on another revision, what reviewers settle."""
    return {each.figure.id for each in tx.decisions(revisions=Revisions.OTHER)} | {
        each.figure.id
        for each in tx.annotations(revisions=Revisions.OTHER)
        if is_adjudicated(campaign.phase(each.phase))
    }


def present_revisions(tx: Transaction) -> dict[str, int]:
    """Figure id -> its present revision, of the figures with work on another one."""
    worked_on = {each.figure.id for each in tx.annotations(revisions=Revisions.OTHER)}
    return {figure_id: tx.figure(figure_id).revision for figure_id in sorted(worked_on)}


def key_of(annotation: Annotation) -> tuple[str, str, str]:
    """Figure, annotator and phase: what an annotation answers."""
    return (annotation.figure.id, annotation.annotator, annotation.phase)


def what_changed(old: Figure, new: Figure) -> tuple[bool, bool]:
    """(caption, image): which of them is another on `new`; tokens cut in another way are another caption."""
    image = (old.width, old.height) != (new.width, new.height) or (
        bool(old.image_sha256 and new.image_sha256) and old.image_sha256 != new.image_sha256
    )
    return old.caption != new.caption, image


def describe_outdated(annotations: Sequence[Annotation], present: Figure) -> str:
    """One line for people: "2 annotations were made on an earlier caption"; "" where there are none."""
    if not annotations:
        return ""
    changes = [what_changed(each.figure, present) for each in annotations]
    caption, image = any(one for one, _ in changes), any(other for _, other in changes)
    what = "caption and image" if caption and image else "image" if image else "caption"
    which = "an earlier" if all(each.figure.revision < present.revision for each in annotations) else "another"
    count = len(annotations)
    return f"{count} {'annotation was' if count == 1 else 'annotations were'} made on {which} {what}"


def listed(names: Iterable[str], most: int = 5) -> str:
    """The first names, and that there are more."""
    ordered = list(dict.fromkeys(names))
    return ", ".join(ordered[:most]) + (", ..." if len(ordered) > most else "")
