"""Outdated work: on another revision of its figure, whose caption or image has since been replaced.

Such work is stored and readable, but doesn't count unless the figure returns to that revision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from annotator.consensus.items import is_adjudicated
from annotator.store.rows.records import Revisions
from panelwise.domain import Annotation, Campaign, Figure, InvalidAnnotation

if TYPE_CHECKING:
    from annotator.store.store import Transaction


def left_behind(tx: Transaction, figure_id: str) -> tuple[Annotation, ...]:
    """Return a figure's outdated annotations that have not been redone: the newest of each annotator and phase."""
    others = list(tx.annotations.all(figure=figure_id, revisions=Revisions.OTHER))
    return not_done_again(others, tx.annotations.all(figure=figure_id)) if others else ()


def not_done_again(others: Iterable[Annotation], present: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """Return the newest outdated work of each figure, annotator and phase that is not in `present`."""
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
    """Return the revision that work on `given`, a figure from a file, belongs to, and whether it is current.

    That is the revision of its number if caption and size match; else the current one or the last earlier one that
    matches; else the current one, so that the differences can be described. numbered: whether the file has the
    number. alike: numbers in the file of revisions of this figure with equal caption and size. Raises
    InvalidAnnotation for the number of a revision that the home doesn't have, unless the home has only a first
    one, which may be a later one elsewhere. Raises StoreError for an unknown figure.
    """
    present = tx.figures.get(found.id)
    if present.revision == found.revision and _fits(found, present) and not alike:
        return present, True
    every = tx.figures.revisions(found.id)
    if numbered:
        _check_number(found, [each.revision for each in every], alike)
    same = [each for each in every if each.revision == found.revision]
    found = next((each for each in (*same, present, *reversed(every)) if _fits(found, each)), present)
    return found, found.revision == present.revision


def _check_number(given: Figure, known: Sequence[int], alike: Collection[int]) -> None:
    """Raise InvalidAnnotation if boxes might be placed on another image than they were drawn on."""
    if known == [1]:
        if alike:
            listing = ", ".join(map(str, sorted(alike)))
            raise InvalidAnnotation(
                f'figure "{given.id}": the file has work on revisions {listing}, equal in caption and size, so '
                "the image is ambiguous; left out, export it again with --revision current"
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
    """Return ids of figures with outdated decisions, or outdated work that is adjudicated."""
    return {each.figure.id for each in tx.decisions.all(revisions=Revisions.OTHER)} | {
        each.figure.id
        for each in tx.annotations.all(revisions=Revisions.OTHER)
        if is_adjudicated(campaign.phase(each.phase))
    }


def present_revisions(tx: Transaction) -> dict[str, int]:
    """Return figure id -> current revision, for figures with work on another one."""
    worked_on = {each.figure.id for each in tx.annotations.all(revisions=Revisions.OTHER)}
    return {figure_id: tx.figures.get(figure_id).revision for figure_id in sorted(worked_on)}


def key_of(annotation: Annotation) -> tuple[str, str, str]:
    """Return figure, annotator and phase, which identify the task of an annotation."""
    return (annotation.figure.id, annotation.annotator, annotation.phase)


def what_changed(old: Figure, new: Figure) -> tuple[bool, bool]:
    """Return whether (caption, image) changed in `new`; a different tokenization is another caption."""
    image = (old.width, old.height) != (new.width, new.height) or (
        bool(old.image_sha256 and new.image_sha256) and old.image_sha256 != new.image_sha256
    )
    return old.caption != new.caption, image


def describe_outdated(annotations: Sequence[Annotation], present: Figure) -> str:
    """Describe outdated work in one line: "2 annotations were made on an earlier caption"; "" for none."""
    if not annotations:
        return ""
    changes = [what_changed(each.figure, present) for each in annotations]
    caption, image = any(one for one, _ in changes), any(other for _, other in changes)
    what = "caption and image" if caption and image else "image" if image else "caption"
    which = "an earlier" if all(each.figure.revision < present.revision for each in annotations) else "another"
    count = len(annotations)
    return f"{count} {'annotation was' if count == 1 else 'annotations were'} made on {which} {what}"


def listed(names: Iterable[str], most: int = 5) -> str:
    """List the first names, with "..." if there are more."""
    ordered = list(dict.fromkeys(names))
    return ", ".join(ordered[:most]) + (", ..." if len(ordered) > most else "")
