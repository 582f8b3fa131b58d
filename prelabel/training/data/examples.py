"""Adjudicated figures from any source as training examples, each in its split.

Read are gold (`annotator export gold`, or MedICaT's `subcaptions_public.jsonl`), annotations.jsonl, and what a
service takes from a campaign's home. A figure without subfigures is one: a box over the whole image (MedICaT,
section 3), whose subcaption is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Generic, TypeVar

from PIL import Image

from panelwise.domain import NO_ITEMS, AnnotatorError, Box, Figure, FormatError, GoldSource, Items, Subfigure
from panelwise.files import Problems
from panelwise.formats import WorkReader, keys_of, read_work
from panelwise.images import read_bytes, read_picture
from panelwise.runtime import counted
from prelabel.training.data.gold_files import EVERYBODY, Chosen, GoldFigure, documents_of, read_gold_figures
from prelabel.training.data.splits import Split, read_split_keys, split_documents

#: Label of the one box of a figure without subfigures.
WHOLE = "A"


@dataclass(frozen=True, slots=True)
class Example:
    """One adjudicated figure. image: its file; may be missing where only its caption is needed.

    subfigures: at least one; boxes are in pixels of `figure`, which the file may be a scaled copy of. agreement:
    whether it belongs to the agreement study, which is kept for the test. items: figure type, pairs and answers.
    source: see `GoldFigure`.
    """

    figure: Figure
    image: Path
    subfigures: tuple[Subfigure, ...]
    split: Split
    agreement: bool = False
    items: Items = NO_ITEMS
    source: GoldSource | None = None

    @property
    def whole(self) -> bool:
        """Return whether its only box is over the whole image: the figure is not compound."""
        return len(self.subfigures) == 1 and self.subfigures[0].box == _whole(self.figure).box

    @property
    def texted(self) -> bool:
        """Return whether a subfigure has words."""
        return any(subfigure.subcaption for subfigure in self.subfigures)


def read_examples(
    gold: Path | Iterable[GoldFigure],
    problems: Problems,
    *,
    images: Path | None = None,
    figures: Path | None = None,
    split_keys: Path | None = None,
    chosen: Chosen = EVERYBODY,
    include: Collection[GoldSource] = tuple(GoldSource),
    seed: int = 0,
    read: WorkReader = read_work,
) -> list[Example]:
    """The accepted figures of `gold` as examples, in its order; what has a fault is a problem and left out.

    gold: a file, or what a service took from a campaign. images: the folder that image paths start from, default
    that of `figures`, else the gold's own; MedICaT's figures folder has <pdf_hash>_<fig_uri>. figures:
    figures.jsonl or a release's records, for images and documents that the gold does not name. split_keys:
    MedICaT's file, or a checkpoint's config.json, which then says the splits. chosen: of a file of several
    people's work. include: the sources of gold to learn from; what has none counts. seed: of the splits. read:
    reads the work in a file. Raises AnnotatorError if there is nothing to learn from.
    """
    if isinstance(gold, Path):
        where = str(gold)
        golds = list(read_gold_figures(gold, problems, figures=figures, images=images, chosen=chosen, read=read))
    else:
        where, golds = "the campaign", list(gold)
    if not golds:
        raise FormatError(f"{where}: holds no accepted figure to learn from")
    every, golds = (
        golds,
        [each for each in golds if each.source is None or each.source in include],
    )
    if not golds:
        raise FormatError(
            f"{where}: none of {counted(len(every), 'figure')} was adjudicated or is unanimous; adjudicate "
            "some, or learn from single work too with --include single"
        )
    if split_keys is not None:
        golds = list(_by_keys(golds, split_keys, problems))
    return list(_split(golds, seed))


def of_split(examples: Iterable[Example], split: str) -> list[Example]:
    """Those of one split: "train", "val" or "test"."""
    return [example for example in examples if example.split == split]


def with_images(examples: Sequence[Example], problems: Problems) -> list[Example]:
    """Those that a detector or classifier learns from: whose image is there; each of the others is a problem.

    Raises FormatError if none is left to train or to validate with.
    """
    found = []
    for example in examples:
        if example.image.is_file():
            found.append(example)
        else:
            problems.add(
                f'figure "{example.figure.id}": {example.image}: no such image; left it out; put it there, or '
                "name its folder with --images"
            )
    if not found:
        raise FormatError("no figure's image is there; name their folder with --images")
    return _both(found, "with an image")


def with_captions(examples: Sequence[Example], problems: Problems) -> list[Example]:
    """Return those with a caption; how many have none is noted."""
    found = [example for example in examples if example.figure.caption.ranges]
    if len(found) < len(examples):
        problems.note(f"{counted(len(examples) - len(found), 'figure')} without a caption left out")
    return found


def with_subcaptions(examples: Sequence[Example], problems: Problems) -> list[Example]:
    """Return the examples for a tagger: with a caption and words of it that belong to a box. Reports the rest.

    Raises FormatError if none is left to train or to validate with.
    """
    found = [example for example in examples if example.texted]
    if not found:
        raise FormatError(
            f"none of {counted(len(examples), 'figure')} has a subcaption; train a detector on this gold, or mark "
            "the words of its subfigures first"
        )
    if len(found) < len(examples):
        lacking = len(examples) - len(found)
        problems.note(f"{counted(lacking, 'figure')} without subcaptions left out")
    return _both(found, "with subcaptions")


def ids_by_split(examples: Iterable[Example], learnt: Collection[str] = ()) -> dict[str, list[str]]:
    """The figures' ids by split, sorted. learnt: those that a model has learnt before; they are in train only."""
    found: dict[str, set[str]] = {split.value: set() for split in Split}
    for example in examples:
        found[example.split].add(example.figure.id)
    train = found[Split.TRAIN].union(learnt)
    return {split: sorted(train if split == Split.TRAIN else ids - train) for split, ids in found.items()}


def data_hash(examples: Iterable[Example], *, images: bool, references: bool = False) -> str:
    """SHA-256 of what there is to learn: captions, boxes, words, splits; citing sentences and images if asked.

    Neither the order of the examples nor the places of the files matter.
    """
    return sha256(
        "\n".join(sorted(_digest(example, images, references) for example in examples)).encode()
    ).hexdigest()


def _digest(example: Example, images: bool, references: bool) -> str:
    figure = example.figure
    parts = sorted(
        (subfigure.label, subfigure.box.as_list(), sorted(subfigure.subcaption))
        for subfigure in example.subfigures
    )
    content = [figure.id, figure.width, figure.height, figure.caption.text, figure.caption.ranges, parts]
    if references:
        content.append(figure.references)
    digest = sha256(repr([*content, example.split.value, example.items]).encode())
    if images:
        with example.image.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()


def _both(found: list[Example], which: str) -> list[Example]:
    for split, what in ((Split.TRAIN, "train"), (Split.VAL, "validate")):
        if not of_split(found, split):
            raise FormatError(
                f"of {counted(len(found), 'figure')} {which} none is there to {what} with; give figures of more "
                "articles (splits go by `source.document`), another --split-seed, or a `split` in each record"
            )
    return found


def _by_keys(golds: Sequence[GoldFigure], path: Path, problems: Problems) -> Iterator[GoldFigure]:
    """Each with the split that MedICaT's file gives it; those that it does not name are left out and counted."""
    splits = read_split_keys(path)
    lost = 0
    for gold in golds:
        keys = keys_of(gold.figure)
        split = splits.get((keys["pdf_hash"], keys["fig_key"])) or splits.get(("", gold.figure.id))
        if split is None:
            lost += 1
        else:
            yield replace(gold, split=split)
    if lost == len(golds):
        raise FormatError(
            f"{path}: names none of {counted(lost, 'figure')} of the gold; is it of another dataset?"
        )
    if lost:
        problems.note(f"{path}: {counted(lost, 'figure')} of the gold in no split; left out")


def _split(golds: Sequence[GoldFigure], seed: int) -> Iterator[Example]:
    documents = documents_of(golds)
    pairs = list(zip(golds, documents, strict=True))
    free = [document for each, document in pairs if each.split is None]
    test = {document for each, document in pairs if each.agreement}
    splits = split_documents(free, test=test, seed=seed)
    for each, document in pairs:
        split = Split.TEST if each.agreement else each.split or splits[document]
        subfigures = each.subfigures or (_whole(each.figure),)
        yield Example(each.figure, each.image, subfigures, split, each.agreement, each.items, each.source)


def _whole(figure: Figure) -> Subfigure:
    return Subfigure(WHOLE, Box(0.0, 0.0, float(figure.width), float(figure.height)))


_Scaled = TypeVar("_Scaled")


class ImageCache(Generic[_Scaled]):
    """Read and scale images once. scale: makes a network's input. size: its bytes. room: bytes to cache."""

    def __init__(
        self,
        scale: Callable[[Image.Image], _Scaled],
        size: Callable[[_Scaled], int],
        problems: Problems,
        *,
        room: int,
    ) -> None:
        self._scale, self._size = scale, size
        self.problems, self.room = problems, room
        self._kept: dict[Path, _Scaled] = {}

    def read(self, example: Example) -> _Scaled:
        """Return the scaled image. Raises FormatError, one line, if it can't be read."""
        kept = self._kept.get(example.image)
        if kept is not None:
            return kept
        made = self._scale(read_picture(read_bytes(example.image), example.image).image)
        if self._size(made) <= self.room:
            self.room -= self._size(made)
            self._kept[example.image] = made
        return made

    def readable(self, examples: Sequence[Example], workers: int) -> dict[Split, list[Example]]:
        """Return the figures to train and to validate with whose image can be decoded; the others are problems.

        Raises FormatError if there are none of either.
        """
        found = {split: of_split(examples, split) for split in (Split.TRAIN, Split.VAL)}
        with ThreadPoolExecutor(workers) as readers:
            for split, asked in found.items():
                fine = list(readers.map(self._readable, asked))
                found[split] = [each for each, read in zip(asked, fine, strict=True) if read]
        if not all(found.values()):
            raise FormatError("no figure is left to train or to validate with; its images cannot be read")
        return found

    def _readable(self, example: Example) -> bool:
        try:
            self.read(example)
        except AnnotatorError as error:
            self.problems.add(f'figure "{example.figure.id}": {error}; left it out')
            return False
        return True
