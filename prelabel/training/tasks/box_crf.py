"""Training the Text+Box tagger: all tokens of each box's subcaption; chosen and stopped early by word F1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
import torch

from panelwise.files import Problems
from prelabel.models.protocols import CaptionedBoxes, Tagged
from prelabel.taggers.models import BoxCRF, Corners, shares
from prelabel.taggers.spans import runs, tags_of
from prelabel.taggers.wordpieces import PieceBatch, collate
from prelabel.training.data.examples import Example
from prelabel.training.tasks.registry import Options
from prelabel.training.tasks.shared import Prepared, TaggerTask, captions_of, encoder_for, word_f1


@dataclass(frozen=True, slots=True)
class BoxBatch:
    """Captions, boxes of them (N, 4), how many each has in the batch, and each box's tags (N, T)."""

    captions: PieceBatch
    boxes: Corners
    counts: Sequence[int]
    tags: torch.Tensor


class BoxCrfTask(TaggerTask[BoxBatch]):
    """The Text+Box tagger in training.

    An instance is one caption with one box, as in MedICaT's code: a batch of 8 is 8 boxes. A caption is encoded
    once for those of its boxes that are in one batch.
    """

    better = "word_f1"

    @cached_property
    def trivial(self) -> float:
        """word_f1 of all words of the caption for every box."""
        return word_f1(_AllWords(), self.validation)

    def instances(self, example: Example) -> Iterable[tuple[int, ...]]:
        """Each of its subfigures by itself."""
        return ((place,) for place in range(len(example.subfigures)))

    def batch(self, examples: Sequence[Prepared]) -> BoxBatch:
        """Boxes with the tags of their subcaptions, each caption once."""
        captioned = [list(together) for _, together in groupby(examples, key=lambda prepared: id(prepared.pieces))]
        captions = collate([each[0].pieces for each in captioned], self.module.encoder.framing)
        counts = [len(each) for each in captioned]
        tags = torch.zeros(len(examples), int(captions.lengths.max()), dtype=torch.long)
        boxes = []
        for row, prepared in zip(tags, examples, strict=True):
            figure = prepared.example.figure
            (subfigure,) = (prepared.example.subfigures[place] for place in prepared.subfigures)
            boxes.append(shares([subfigure.box], figure.width, figure.height))
            row[: prepared.count] = torch.tensor(tags_of(runs(subfigure.subcaption), prepared.count))
        return BoxBatch(captions, np.concatenate(boxes), counts, tags)

    def loss(self, batch: BoxBatch) -> Any:
        """Negative log-likelihood, the mean over boxes; like the authors' the sum."""
        loss = self.module(batch.captions, batch.boxes, batch.counts, batch.tags)
        return loss * len(batch.tags) if self.options.like_the_authors else loss

    def validate(self) -> dict[str, float]:
        """word_f1 between the true and the found subcaption of each true box, found as `--decode` says."""
        return {"word_f1": word_f1(self.tagger, self.validation)}


class _AllWords:
    """Gives every box the whole caption."""

    version = "all-words"

    def tag(self, items: Sequence[CaptionedBoxes]) -> list[Tagged]:
        """One each, in order."""
        return [
            Tagged((frozenset(range(len(each.caption.ranges))),) * len(each.boxes), (1.0,) * len(each.boxes))
            for each in items
        ]


def make_task(examples: Sequence[Example], options: Options, problems: Problems) -> BoxCrfTask:
    """See `prelabel.training.tasks.registry`. Raises AnnotatorError, one line, where the encoder cannot be had."""
    return BoxCrfTask(
        BoxCRF(encoder_for(captions_of(examples), options), dropout=options.dropout), examples, options
    )
