"""Records of exported gold and annotations, with names, images and losses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.campaign.choices import check_chosen
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Anonymizer, Names
from annotator.consensus.gold_rule import GoldTally, gold_in
from annotator.consensus.outdated import listed
from annotator.gold.image_copies import ImageCopies
from annotator.store.rows.records import Revisions
from annotator.store.store import Store, Transaction
from panelwise.domain import Annotation, AnnotatorError, Decision, FigureState, Gold, GoldSource, Reopening
from panelwise.files import Problems
from panelwise.formats import Losses, annotation_record, gold_record, time_text
from panelwise.runtime import counted

#: Remark on work that a file can't represent.
STORE_HAS_THEM = "the store keeps them"


@dataclass(slots=True)
class Exported:
    """The result of an export beside its file.

    losses: what its layout can't represent. warnings: for the lead, a line each. problems: errors.
    without: the figures that are left out, and their state.
    """

    tally: GoldTally = field(default_factory=GoldTally)
    images: int = 0
    losses: Losses = field(default_factory=lambda: Losses("the layout"))
    warnings: list[str] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    without: dict[str, FigureState] = field(default_factory=dict)


def golds(
    home: Home,
    tx: Transaction,
    exported: Exported,
    *,
    names: Names = Names.REAL,
    include: Collection[GoldSource] | None = None,
) -> Iterator[Gold]:
    """Yield the gold by figure id under the requested names, and count it in `exported`.

    include: sources that count as gold, None for those of campaign.toml.
    """
    people = Anonymizer(home, tx, names)
    yield from map(people.gold, gold_in(tx, home.campaign, exported.tally, exported.without, include=include))
    exported.warnings += people.warnings()


def leave_out_items(gold: Gold, exported: Exported) -> None:
    """Count types and pairs of a figure that an export of subfigures does not have."""
    exported.losses.left_out(
        "figures' types and pairs",
        int(gold.items.kind is not None or bool(gold.items.verdicts)),
        instead="`annotator export types` and `annotator export qa` have them",
    )


def gold_records(
    home: Home,
    store: Store,
    exported: Exported,
    *,
    names: Names = Names.REAL,
    images: Path | None = None,
    include: Collection[GoldSource] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the gold as records of MedICaT's layout, by figure id, and count it in `exported`.

    include: sources that count as gold, None for those of campaign.toml. images: folder to copy the images to,
    under MedICaT's names. An image that can't be copied is a problem, and its record is still written.
    """
    copies = ImageCopies(home, images) if images is not None else None
    losses = exported.losses = Losses("gold.jsonl")
    bare: list[str] = []
    with store.read() as tx:
        for gold in golds(home, tx, exported, names=names, include=include):
            if not gold.subfigures and (gold.items.kind is not None or gold.items.verdicts):
                bare.append(gold.figure.id)
            record = gold_record(gold)
            if copies is not None:
                try:
                    copies.add(gold.figure, record)
                except AnnotatorError as error:
                    exported.problems.add(error)
                exported.images = copies.count
            yield record
        losses.left_out(
            "decisions that a later one replaced", tx.decisions.count_superseded(), instead=STORE_HAS_THEM
        )
        losses.left_out("the time that a decision took", tx.decisions.count_timed(), instead=STORE_HAS_THEM)
    if bare:
        exported.warnings.insert(
            0,
            f"{counted(len(bare), 'figure')} with a type or pairs only, without subfigures: "
            f"{listed(bare)}; export types and pairs with `annotator export types` and `annotator export qa`",
        )


def decision_records(
    home: Home, store: Store, exported: Exported, *, names: Names = Names.REAL
) -> Iterator[dict[str, Any]]:
    """Yield all decisions and reopenings as records of decisions.jsonl, by figure, oldest first."""
    with store.read() as tx:
        people = Anonymizer(home, tx, names)
        for entry in tx.decisions.histories():
            yield decision_record(
                people.reopening(entry) if isinstance(entry, Reopening) else people.decision(entry)
            )
    exported.warnings += people.warnings()


def left_out_records(exported: Exported) -> Iterator[dict[str, str]]:
    """Yield a record for each figure that an export of gold left out, by figure id."""
    for figure_id, why in exported.without.items():
        yield {"figure_id": figure_id, "source": "unresolved", "why": why.value}


def annotation_records(
    home: Home,
    store: Store,
    exported: Exported,
    *,
    names: Names = Names.REAL,
    phase: str | None = None,
    annotator: str | None = None,
    revisions: Revisions = Revisions.PRESENT,
    make: Callable[[Annotation], Any] = annotation_record,
) -> Iterator[Any]:
    """Yield the current annotations, by figure, annotator and phase, as what `make` makes of each.

    annotator: the real name, whatever `names` is. revisions: of the figures; left-out ones are reported. Raises
    AnnotatorError for an unknown phase or annotator.
    """
    losses = exported.losses = Losses("annotations.jsonl")
    last, count = "", 0
    with store.read() as tx:
        check_chosen(tx, home, phase=phase, annotator=annotator)
        people = Anonymizer(home, tx, names)
        for annotation in tx.annotations.all(phase=phase, annotator=annotator, revisions=revisions):
            figure = annotation.figure
            if figure.id != last and (figure.image or figure.references or figure.source):
                last = figure.id
                losses.left_out(
                    "images, references and sources of figures", instead="`annotator export figures` writes them"
                )
            yield make(people.annotation(annotation))
            count += 1
        others = tx.annotations.all(phase=phase, annotator=annotator, revisions=Revisions.OTHER)
        behind = [] if revisions is Revisions.ALL else [each.figure.id for each in others]
        if behind:
            exported.warnings.append(
                f"left out {counted(len(behind), 'outdated annotation')} (earlier caption or image): "
                f"{listed(behind)}; add them with --revision all"
            )
        earlier = tx.annotations.count(phase=phase, annotator=annotator) - count - len(behind)
        losses.left_out("annotations replaced by later ones", earlier, instead=STORE_HAS_THEM)
    exported.warnings += people.warnings()


def decision_record(entry: Decision | Reopening) -> dict[str, Any]:
    """Convert an entry to a record, with the figure as in annotations.jsonl.

    A reopening has reviewer, time and note only.
    """
    head = {
        "figure_id": entry.figure.id,
        "revision": entry.figure.revision,
        "version": entry.version,
        "reviewer": entry.reviewer,
    }
    if isinstance(entry, Reopening):
        return {**head, "status": "reopened", "decided_at": time_text(entry.reopened_at), "note": entry.note}
    drawn = annotation_record(entry.as_annotation())
    for key in ("annotator", "phase", "saved_at", "figure_id", "revision", "status"):
        del drawn[key]
    return {
        **head,
        "status": entry.status.value,
        "decided_at": time_text(entry.decided_at),
        "seconds": entry.seconds,
        "based_on": list(entry.based_on),
        "note": entry.note,
        "error_kind": entry.error_kind,
        "guideline_flag": entry.guideline_flag or None,
        "restored_from": entry.restored_from,
        "awaits": entry.awaits,
        **drawn,
    }
