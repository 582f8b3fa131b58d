"""Gold, work and figures in the layouts of others: COCO, Label Studio, SciVQA, MedICaT's release."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.campaign.choices import check_chosen
from annotator.campaign.pseudonyms import FreeText, Names, annotation_under, gold_under, naming
from annotator.consensus.gold_rule import GoldTally, gold_in
from annotator.consensus.outdated import listed
from annotator.label_studio.payload import figures as payload
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.figure import IMAGE_AS_WRITTEN
from panelwise.files.jsonl import Problems
from panelwise.formats import scivqa
from panelwise.formats.figures import figure_record, release_record
from panelwise.formats.label_studio_export import note_losses, task_record
from panelwise.formats.losses import Losses
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store, Transaction
    from panelwise.domain.decision import Gold, GoldSource
    from panelwise.domain.figure import Figure

_KEPT = "the store keeps them"


@dataclass(slots=True)
class Written:
    """What an export made beside its file.

    tally: of gold. losses: what the layout has no place for. told: what the lead must know, a line each. problems:
    what could not be written.
    """

    losses: Losses
    problems: Problems = field(default_factory=Problems)
    tally: GoldTally = field(default_factory=GoldTally)
    told: list[str] = field(default_factory=list)


def read_gold(
    home: Home,
    store: Store,
    written: Written,
    *,
    names: Names = Names.REAL,
    include: Collection[GoldSource] | None = None,
) -> Iterator[Gold]:
    """The gold, by figure id, people under the names asked for; `written` is filled meanwhile.

    include: the sources that count as gold, None for what campaign.toml says.
    """
    with store.read() as tx:
        yield from _read_gold(home, tx, written, names, include)


def label_studio_tasks(
    home: Home,
    store: Store,
    written: Written,
    *,
    names: Names = Names.REAL,
    phase: str | None = None,
    annotator: str | None = None,
) -> Iterator[dict[str, Any]]:
    """The current annotations as tasks that Label Studio imports, data as pushed, one annotation each.

    Figures without a stored image are left out, and one problem names them. annotator: their real name,
    whatever `names` says. Raises AnnotatorError for a phase or annotator that the campaign does not know.
    """
    count = 0
    bare: list[str] = []
    with store.read() as tx:
        check_chosen(tx, home, phase=phase, annotator=annotator)
        of = naming(home, tx, names)
        text = FreeText(tx.names()) if names is Names.PSEUDONYMS else None
        for annotation in tx.annotations(phase=phase, annotator=annotator):
            count += 1
            if text is not None:
                text.look_at(annotation.figure.id, annotation.items)
                annotation = annotation_under(annotation, of)
            if not annotation.figure.image:
                bare.append(annotation.figure.id)
                continue
            try:
                data = payload.task_data(annotation.figure, seed=annotation.seeded_by or "")
                record = task_record(data, payload.annotation_payload(annotation), annotation)
            except AnnotatorError as error:
                written.problems.add(error)
                continue
            note_losses(annotation, written.losses)
            yield record
        if bare:
            written.problems.add(
                f"left out {counted(len(bare), 'annotation')} of {counted(len(set(bare)), 'figure')} without "
                f"a stored image: {listed(bare)}; import the figures again with their images and --revise"
            )
        earlier = tx.count_annotations(phase=phase, annotator=annotator) - count
        written.losses.left_out("annotations replaced by later ones or on other revisions", earlier, instead=_KEPT)
    written.told += text.told() if text is not None else []


def figure_records(store: Store, written: Written, *, layout: str = "jsonl") -> Iterator[dict[str, Any]]:
    """All figures, by id, as figures.jsonl or, with layout "medicat", as records of that dataset's release."""
    with store.read() as tx:
        for figure in tx.figures():
            # A figure that came from another home with its number has no revisions before.
            earlier = len(tx.figure_revisions(figure.id)) - 1 if figure.revision > 1 else 0
            written.losses.left_out("earlier captions and images", earlier, instead=_KEPT)
            yield figure_record(figure) if layout == "jsonl" else release_record(figure, written.losses)


def scivqa_records(
    home: Home,
    store: Store,
    written: Written,
    *,
    names: Names = Names.REAL,
    include: Collection[GoldSource] | None = None,
) -> Iterator[dict[str, Any]]:
    """All figures' metadata with their question-answer pairs, by figure id, as the gold has them where it does.

    include: as in `read_gold`.
    """
    with store.read() as tx:
        golds = _read_gold(home, tx, written, names, include)
        gold = next(golds, None)
        for figure in tx.figures():
            of_this = gold if gold is not None and gold.figure.id == figure.id else None
            yield scivqa.figure_record(figure, of_this, written.losses)
            if of_this is not None:
                gold = next(golds, None)


class ImageNames:
    """How a COCO file names a figure's image: relative to `root`; None: to the home.

    An image that is not stored bears the name that the figure was imported with, "" where it had none. given: how
    many of these there were; nameless: ids of the figures without any.
    """

    def __init__(self, home: Home, root: Path | None) -> None:
        self._home = home
        self._root = root
        self.given = 0
        self.nameless: list[str] = []

    def __call__(self, figure: Figure) -> str:
        """The name of one figure's image."""
        if not figure.image:
            name = figure.extra.get(IMAGE_AS_WRITTEN)
            if isinstance(name, str) and name:
                self.given += 1
                return name
            self.nameless.append(figure.id)
            return ""
        if self._root is None:
            return figure.image
        return Path(os.path.relpath(self._home.image_path(figure), self._root.absolute())).as_posix()

    def told(self) -> Iterator[str]:
        """What the lead must know, a line each."""
        if self.given:
            yield (
                f"{counted(self.given, 'image')} not stored here: file_name is the name that came with "
                "the figure, whatever folder it is in"
            )
        if self.nameless:
            yield (
                f"{counted(len(self.nameless), 'figure')} without an image or its name, file_name is empty: "
                f"{listed(self.nameless)}; import the figures again with their images and --revise"
            )


def _read_gold(
    home: Home, tx: Transaction, written: Written, names: Names, include: Collection[GoldSource] | None
) -> Iterator[Gold]:
    of = naming(home, tx, names)
    text = FreeText(tx.names()) if names is Names.PSEUDONYMS else None
    for gold in gold_in(tx, home.campaign, written.tally, include=include):
        if text is not None:
            text.look_at(gold.figure.id, gold.items, *gold.provenance.texts())
        yield gold if text is None else gold_under(gold, of)
    written.told += text.told() if text is not None else []
