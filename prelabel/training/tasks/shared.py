"""Training of both taggers: the encoder, targets, batches of captions of similar length, weight decay."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from agreement import token_f1
from agreement.primitives import Common, common_tokens
from panelwise.domain import FormatError
from prelabel.models.checkpoints import ENCODER
from prelabel.models.protocols import CaptionedBoxes, Tagger
from prelabel.taggers.decoding import Pace
from prelabel.taggers.encoders import BASE, MADE, TokenEncoder, made_encoder, open_encoder
from prelabel.taggers.models import BoxCRF, BoxTagger, TextCRF, TextTagger
from prelabel.taggers.wordpieces import Pieces
from prelabel.training.data.examples import Example, of_split
from prelabel.training.data.splits import Split
from prelabel.training.loop.options import SCIBERT
from prelabel.training.tasks.registry import Options

#: Captions are sorted by length within pools of this many batches: little padding, another order each epoch.
POOL = 20

Batch = TypeVar("Batch")


@dataclass(frozen=True, slots=True)
class Prepared:
    """An example with its caption's word pieces. subfigures: positions of those that are learnt together."""

    example: Example
    pieces: Pieces
    subfigures: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """Tokens of the caption."""
        return len(self.pieces.first)


def encoder_for(texts: Iterable[str], options: Options) -> TokenEncoder:
    """The encoder that was requested, by default the paper's tagger's; from random weights one made here, whose
    vocabulary comes from the texts to train with.

    Raises AnnotatorError, one line, where it cannot be had.
    """
    name = options.encoder or (BASE if options.random_weights else SCIBERT)
    if name in MADE:
        return made_encoder(name, texts)
    return open_encoder(name, pretrained=not options.random_weights)


def captions_of(examples: Iterable[Example]) -> list[str]:
    """Return the captions to train with."""
    return [each.figure.caption.text for each in of_split(examples, Split.TRAIN)]


def with_true_boxes(example: Example) -> CaptionedBoxes:
    """An example as a tagger is asked about it: with its true boxes."""
    figure = example.figure
    return CaptionedBoxes(
        figure.caption, tuple(subfigure.box for subfigure in example.subfigures), figure.width, figure.height
    )


def word_f1(tagger: Tagger, examples: Sequence[Example]) -> float:
    """F1 between found and true subcaption, the mean over the boxes that have one; alphanumeric tokens count.

    0 if no box has a subcaption.
    """
    scores = []
    for example, found in zip(examples, tagger.tag([with_true_boxes(each) for each in examples]), strict=True):
        words = example.figure.caption.counted
        for subfigure, tokens in zip(example.subfigures, found.subcaptions, strict=True):
            score = token_f1(subfigure.subcaption & words, tokens & words)
            if score is not None and subfigure.subcaption & words:
                scores.append(score)
    return float(np.mean(scores)) if scores else 0.0


class TaggerTask(ABC, Generic[Batch]):
    """One of the loop's tasks, for a tagger."""

    better: str

    def __init__(self, module: TextCRF | BoxCRF, examples: Sequence[Example], options: Options) -> None:
        self.module: Any = module
        self.options = options
        captioned = [example for example in examples if example.figure.caption.ranges]
        self._examples = list(learning_targets(captioned, Common(options.common)))
        if not of_split(self._examples, Split.TRAIN):
            raise FormatError(
                "no figure to train with has two subcaptions that differ; give more gold, or learn the words that "
                "all subcaptions share too, with --common none"
            )

    @property
    @abstractmethod
    def trivial(self) -> float:
        """The score, on the scale of `better`, of an answer that looks at nothing."""

    @property
    def architecture(self) -> Mapping[str, Any]:
        """Of the module, see `TextCRF` and `BoxCRF`."""
        architecture: Mapping[str, Any] = self.module.architecture
        return architecture

    def batches(self, split: str, epoch: int, seed: int) -> Iterator[Batch]:
        """Batch captions of similar length, in an order that depends on split, epoch and seed only."""
        prepared = self._prepared[split]
        rng = np.random.default_rng([seed, epoch, *split.encode()])
        order = rng.permutation(len(prepared)).tolist()
        size = self.options.batch
        found = []
        for begin in range(0, len(order), size * POOL):
            pool = sorted(order[begin : begin + size * POOL], key=lambda place: self._length(prepared[place]))
            found += [pool[each : each + size] for each in range(0, len(pool), size)]
        for number in rng.permutation(len(found)).tolist():
            yield self.batch([prepared[place] for place in found[number]])

    @staticmethod
    def _length(prepared: Prepared) -> tuple[int, str]:
        """Orders by length; what is learnt of one caption stays together."""
        return len(prepared.pieces.ids), prepared.example.figure.id

    @abstractmethod
    def batch(self, examples: Sequence[Prepared]) -> Batch:
        """Examples as the module's loss takes them."""

    def write_extra(self, folder: Path) -> None:
        """The encoder's configuration and tokenizer."""
        self.module.encoder.save(folder / ENCODER)

    @property
    def validation(self) -> list[Example]:
        """The figures to validate with."""
        return of_split(self._examples, Split.VAL)

    @property
    def tagger(self) -> TextTagger | BoxTagger:
        """The module as it is, as a tagger."""
        pace = Pace()
        if isinstance(self.module, BoxCRF):
            return BoxTagger(self.module, version="now", decode=self.options.decode, pace=pace)
        return TextTagger(self.module, version="now", pace=pace)

    @cached_property
    def _prepared(self) -> dict[str, list[Prepared]]:
        return {split.value: self._prepare(of_split(self._examples, split)) for split in Split}

    def _prepare(self, examples: Sequence[Example]) -> list[Prepared]:
        pieces: Iterable[Pieces] = self.module.encoder.pieces([each.figure.caption for each in examples])
        return [
            Prepared(example, piece, subfigures)
            for example, piece in zip(examples, pieces, strict=True)
            for subfigures in self.instances(example)
        ]

    def instances(self, example: Example) -> Iterable[tuple[int, ...]]:
        """Return the positions of each instance's subfigures in an example; a batch has that many instances."""
        return (tuple(range(len(example.subfigures))),)


def learning_targets(examples: Iterable[Example], common: Common) -> Iterator[Example]:
    """The figures with those boxes only that have a subcaption left; figures without any are left out.

    common: GOLD removes the tokens that all subcaptions of a figure share, and with them the one subcaption of a
    figure that has no other, as the readers of MedICaT's code do; NONE keeps them.
    """
    for example in examples:
        texted = [subfigure for subfigure in example.subfigures if subfigure.subcaption]
        shared = common_tokens(each.subcaption for each in texted) if common is Common.GOLD else frozenset[int]()
        targets = tuple(
            replace(each, subcaption=each.subcaption - shared) for each in texted if each.subcaption - shared
        )
        if targets:
            yield replace(example, subfigures=targets)
