"""Training the Text+Box tagger: all tokens of each box's subcaption; chosen and stopped early by word F1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from panelwise.files.jsonl import Problems
from prelabel.taggers.bioul import runs, tags_of
from prelabel.taggers.box_tagger import BoxCRF, Corners, shares
from prelabel.taggers.wordpieces import PieceBatch, collate
from prelabel.training.data.examples import Example
from prelabel.training.tasks.registry import Options
from prelabel.training.tasks.shared import Prepared, TaggerTask, encoder_for, word_f1


@dataclass(frozen=True, slots=True)
class BoxBatch:
    """Captions, the boxes of all of them (N, 4), how many each has, and each box's tags (N, T)."""

    captions: PieceBatch
    boxes: Corners
    counts: Sequence[int]
    tags: torch.Tensor


class BoxCrfTask(TaggerTask[BoxBatch]):
    """The Text+Box tagger in training: each caption is encoded once for all its boxes."""

    better = "word_f1"

    def batch(self, examples: Sequence[Prepared]) -> BoxBatch:
        """Captions and all their boxes, with the tags of each box's subcaption."""
        captions = collate([each.pieces for each in examples], self.module.encoder.framing)
        counts = [len(each.example.subfigures) for each in examples]
        tags = torch.zeros(sum(counts), int(captions.lengths.max()), dtype=torch.long)
        boxes, row = [], 0
        for each in examples:
            figure, subfigures = each.example.figure, each.example.subfigures
            boxes.append(shares([part.box for part in subfigures], figure.width, figure.height))
            for part in subfigures:
                tags[row, : each.count] = torch.tensor(tags_of(runs(part.subcaption), each.count))
                row += 1
        return BoxBatch(captions, np.concatenate(boxes), counts, tags)

    def loss(self, batch: BoxBatch) -> Any:
        """Negative log-likelihood, the mean over boxes."""
        return self.module(batch.captions, batch.boxes, batch.counts, batch.tags)

    def validate(self) -> dict[str, float]:
        """word_f1 between the true and the found subcaption of each true box, found as `--decode` says."""
        return {"word_f1": word_f1(self.tagger, self.validation)}


def make_task(examples: Sequence[Example], options: Options, problems: Problems) -> BoxCrfTask:
    """See `prelabel.training.tasks.registry`. Raises AnnotatorError, one line, where the encoder cannot be had."""
    return BoxCrfTask(BoxCRF(encoder_for(examples, options), dropout=options.dropout), examples, options)
