"""Training a classifier of figures: compound or not, and of which types, from adjudicated figures of any campaign.

Annotators' own words hold where they gave any (campaigns of figure types); else a figure is compound if more than
one box was drawn on it, and its types are those that it came with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from panelwise.domain import AnnotatorError, FigureKind, FormatError, type_name
from panelwise.files import Problems
from panelwise.runtime import counted
from prelabel.detectors.faster_rcnn import read_weights
from prelabel.models.classifier import (
    CROPPED,
    RESNET18,
    SIDE,
    TOP,
    Answers,
    FigureClassifier,
    Kinds,
    Pixels,
    TrainedClassifier,
    imagenet,
    pixel_batch,
)
from prelabel.training.data.examples import Example, ImageCache, of_split
from prelabel.training.data.splits import Split
from prelabel.training.loop.options import Options

COMPOUND, TYPE, BOTH = "compound", "type", "both"
#: Least pixels of a side: below, a ResNet has nothing left to look at.
LEAST_SIDE = 32
#: Bytes of scaled images cached from one epoch to the next; the rest is decoded again.
CACHE_BYTES = 1 << 30
#: Most that the rarer of compound and not compound counts for more than the other.
MOST_WEIGHT = 10.0


@dataclass(frozen=True, eq=False, slots=True)
class Batch:
    """Images and answers of one step of training.

    pixels: (B, 3, side, side) uint8. targets: (B, answers), 1 for yes. mask: (B, answers), 0 where unknown.
    """

    pixels: Any
    targets: Any
    mask: Any


class ClassifierTask:
    """A classifier to train by `prelabel.training.loop.epochs.fit`: a network with a yes or no for each answer.

    flip: half of the figures are mirrored in training, anew each epoch. Examples whose image cannot be read are
    reported once, and left out. Scores: "score" (what is to grow: the mean of
    "compound_balanced" and "types_top1", as far as asked), "compound_accuracy", "types_top4".
    """

    better = "score"

    def __init__(
        self,
        module: FigureClassifier,
        examples: Sequence[Example],
        problems: Problems,
        *,
        batch: int,
        workers: int,
        flip: bool = True,
    ) -> None:
        self.module: Any = module
        self.architecture = module.architecture
        self.answers, self.batch, self.workers, self.flip = module.answers, batch, max(1, workers), flip
        self._images = ImageCache(
            module.prepare,
            lambda pixels: int(pixels.nbytes),
            problems,
            room=CACHE_BYTES,
        )
        self._splits = self._images.readable(examples, self.workers)
        self._weight = torch.tensor(_weights(self.answers, self._splits[Split.TRAIN]))

    @property
    def trivial(self) -> float:
        """The score of saying the same of every figure: that its type is the commonest."""
        typed = [types for each in self._splits[Split.VAL] if (types := labelled_kind(each).types)]
        shares = [0.5] if self.answers.compound else []
        if self.answers.types and typed:
            shares.append(max(sum(name in types for types in typed) for name in self.answers.types) / len(typed))
        return float(np.mean(shares)) if shares else 0.0

    def batches(self, split: str, epoch: int, seed: int) -> Iterable[Batch]:
        """The figures of a split in batches; in training shuffled, and mirrored by chance."""
        examples = self._splits[Split(split)]
        rng = np.random.default_rng([seed, epoch])
        training = split == Split.TRAIN
        mirrored = rng.random(len(examples)) < (0.5 if training and self.flip else 0.0)
        order = rng.permutation(len(examples)).tolist() if training else list(range(len(examples)))
        with ThreadPoolExecutor(self.workers) as readers:
            for cut in _cuts(order, self.batch):
                chosen = [examples[place] for place in cut]
                pixels = list(readers.map(self._images.read, chosen))
                yield self._joined(chosen, pixels, [bool(mirrored[place]) for place in cut])

    def loss(self, batch: Batch) -> Any:
        """Mean binary cross entropy over what is known; the rarer of compound and not compound counts more.

        Of types that exclude each other it is the cross entropy, shared alike by several that a figure has.
        """
        device = next(self.module.parameters()).device
        wanted, known = batch.targets.to(device), batch.mask.to(device)
        logits = self.module(batch.pixels.to(device))
        losses = binary_cross_entropy_with_logits(
            logits, wanted, pos_weight=self._weight.to(device), reduction="none"
        )
        if self.answers.softmax:
            first = int(self.answers.compound)
            share = wanted[:, first:] / wanted[:, first:].sum(dim=1, keepdim=True).clamp(min=1.0)
            types = cross_entropy(logits[:, first:], share, reduction="none")
            losses = torch.cat([losses[:, :first], types.unsqueeze(1)], dim=1)
            known = known[:, : first + 1]
        return (losses * known).sum() / known.sum().clamp(min=1.0)

    def validate(self) -> dict[str, float]:
        """See the class; of the validation split."""
        return self.scored(Split.VAL)

    def scored(self, split: Split) -> dict[str, float]:
        """The same of any split."""
        examples = self._splits[split]
        training, device = self.module.training, next(self.module.parameters()).device
        model = TrainedClassifier(self.module, version="", device=device, batch=self.batch)
        found: list[Kinds] = []
        try:
            with ThreadPoolExecutor(self.workers) as readers:
                for cut in _cuts(range(len(examples)), self.batch):
                    found += model.kinds_of(list(readers.map(self._images.read, [examples[each] for each in cut])))
        finally:
            self.module.train(training)
        return scores_of(self.answers, [labelled_kind(example) for example in examples], found)

    def write_extra(self, folder: Path) -> None:
        """A classifier needs nothing but its weights."""

    def _joined(self, examples: Sequence[Example], pixels: Sequence[Pixels], mirrored: Sequence[bool]) -> Batch:
        turned = [image[:, ::-1] if mirror else image for image, mirror in zip(pixels, mirrored, strict=True)]
        rows = [_row(self.answers, labelled_kind(example)) for example in examples]
        return Batch(
            pixel_batch(turned),
            torch.tensor([wanted for wanted, _ in rows]),
            torch.tensor([known for _, known in rows]),
        )


def make_task(examples: Sequence[Example], options: Options, problems: Problems) -> ClassifierTask:
    """The task of `prelabel train classifier`. Raises AnnotatorError for options that cannot be, or no labels."""
    side = options.side or SIDE
    if side < LEAST_SIDE:
        raise AnnotatorError(f"images of {side} pixels are too small for a ResNet; give {LEAST_SIDE} or more")
    answers, labelled = _labelled(examples, options.target, problems)
    answers = replace(answers, softmax=options.softmax and bool(answers.types))
    alike = options.like_the_authors
    module = FigureClassifier(
        options.architecture or RESNET18,
        answers,
        side=side,
        crop=options.crop,
        scale=1.0 if alike else CROPPED,
        dropout=options.dropout,
    )
    if options.weights:
        module.begin_from(read_weights(Path(options.weights)))
    elif not options.random_weights:
        module.begin_from(imagenet(module.name))
    return ClassifierTask(module, labelled, problems, batch=options.batch, workers=options.workers, flip=not alike)


def labelled_kind(example: Example) -> FigureKind:
    """Return the known kind of a figure; see the module. Unknown values are None, types an empty set."""
    said, given = example.items.kind, example.figure.imported.kind
    drawn = not example.whole
    compound = None if said is None else said.compound
    if compound is None and said is not None and said.count is not None:
        compound = said.count > 1
    if compound is None and (drawn or said is None):
        # A whole campaign of subfigures without a box on this figure says that it is not compound.
        compound = len(example.subfigures) > 1
    types = said.types if said is not None and said.types else given.types if given is not None else frozenset()
    return FigureKind(compound=compound, types=frozenset(map(type_name, types)))


def scores_of(answers: Answers, labels: Sequence[FigureKind], found: Sequence[Kinds]) -> dict[str, float]:
    """Return the scores of predicted kinds; a kind that no figure's gold knows has no key and does not count."""
    scores: dict[str, float] = {}
    if answers.compound:
        pairs = [
            (bool(one.compound), other.compound >= 0.5)
            for one, other in zip(labels, found, strict=True)
            if one.compound is not None and other.compound is not None
        ]
        if pairs:
            scores["compound_accuracy"] = float(np.mean([one == other for one, other in pairs]))
            recalls = [
                float(np.mean([other == side for one, other in pairs if one == side]))
                for side in (True, False)
                if any(one == side for one, _ in pairs)
            ]
            scores["compound_balanced"] = float(np.mean(recalls))
    typed = [(one.types, other) for one, other in zip(labels, found, strict=True) if one.types]
    if answers.types and typed:
        scores["types_top1"] = float(np.mean([other.keeps(types, top=1) for types, other in typed]))
        scores[f"types_top{TOP}"] = float(np.mean([other.keeps(types) for types, other in typed]))
    wanted = [scores[key] for key in ("compound_balanced", "types_top1") if key in scores]
    return {"score": float(np.mean(wanted)) if wanted else 0.0, **scores}


def _labelled(examples: Sequence[Example], target: str, problems: Problems) -> tuple[Answers, list[Example]]:
    """Return the questions, and the examples with an answer to any. Raises AnnotatorError for too few."""
    kinds = {example.figure.id: labelled_kind(example) for example in examples}
    training = [kinds[each.figure.id] for each in of_split(examples, Split.TRAIN)]
    types = tuple(sorted({name for each in training for name in each.types})) if target != COMPOUND else ()
    answers = Answers(target in (COMPOUND, BOTH), types)
    if answers.compound and len({each.compound for each in training} - {None}) < 2:
        raise AnnotatorError(
            "all figures to train with are compound, or none is; give figures of both kinds, or --target type"
        )
    if target != COMPOUND and len(types) < 2:
        raise AnnotatorError(
            f"the figures to train with are of {counted(len(types), 'type')}, and two are needed to tell apart; "
            "adjudicate a campaign of figure types first, or give figures with their types"
        )
    knowing = [example for example in examples if any(_row(answers, kinds[example.figure.id])[1])]
    if len(knowing) < len(examples):
        problems.note(f"{counted(len(examples) - len(knowing), 'figure')} of unknown kind left out")
    for split, what in ((Split.TRAIN, "train"), (Split.VAL, "validate")):
        if not of_split(knowing, split):
            raise FormatError(f"no figure of known kind is there to {what} with; give figures of more articles")
    return answers, knowing


def _row(answers: Answers, kind: FigureKind) -> tuple[list[float], list[float]]:
    """Return the target of each answer, and whether it is known. A figure without types has no known type."""
    wanted = [float(bool(kind.compound))] if answers.compound else []
    known = [float(kind.compound is not None)] if answers.compound else []
    wanted += [float(name in kind.types) for name in answers.types]
    known += [float(bool(kind.types))] * len(answers.types)
    return wanted, known


def _weights(answers: Answers, training: Sequence[Example]) -> list[float]:
    """Return the weight of a yes in the loss: for compound, both kinds weigh the same; for types 1."""
    said = [labelled_kind(each).compound for each in training]
    share = said.count(False) / max(1, said.count(True))
    balanced = min(MOST_WEIGHT, max(1.0 / MOST_WEIGHT, share))
    return [balanced] * answers.compound + [1.0] * len(answers.types)


def _cuts(order: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """In batches of `size`; one left over joins the last: a single image has no spread to be normalised by."""
    starts = list(range(0, len(order), size))
    if len(starts) > 1 and len(order) - starts[-1] == 1:
        starts.pop()
    for start, stop in zip(starts, [*starts[1:], len(order)], strict=True):
        yield order[start:stop]
