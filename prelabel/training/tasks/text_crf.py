"""Training the text-only tagger: of each subcaption one span is learnt; chosen and stopped early by span F1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from panelwise.files import Problems
from prelabel.taggers.models import TextCRF, TextTagger
from prelabel.taggers.spans import TokenSpan, longest_spans, tags_of
from prelabel.taggers.wordpieces import PieceBatch, collate
from prelabel.training.data.examples import Example
from prelabel.training.tasks.registry import Options
from prelabel.training.tasks.shared import Prepared, TaggerTask, captions_of, encoder_for, word_f1


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Captions with their tags, (C, T)."""

    captions: PieceBatch
    tags: torch.Tensor


def spans_to_learn(example: Example) -> list[TokenSpan]:
    """Return the spans of a caption: of each subcaption its longest run that overlaps no earlier one's."""
    return [
        span
        for span in longest_spans(subfigure.subcaption for subfigure in example.subfigures)
        if span is not None
    ]


class TextCrfTask(TaggerTask[TextBatch]):
    """The text-only tagger in training."""

    better = "span_f1"
    trivial = 0.0

    def batch(self, examples: Sequence[Prepared]) -> TextBatch:
        """Captions, and the tags of the spans to learn."""
        captions = collate([prepared.pieces for prepared in examples], self.module.encoder.framing)
        tags = torch.zeros(len(examples), int(captions.lengths.max()), dtype=torch.long)
        for row, prepared in zip(tags, examples, strict=True):
            row[: prepared.count] = torch.tensor(tags_of(spans_to_learn(prepared.example), prepared.count))
        return TextBatch(captions, tags)

    def loss(self, batch: TextBatch) -> Any:
        """Negative log-likelihood, the mean over captions; like the authors' the sum."""
        loss = self.module(batch.captions, batch.tags)
        return loss * len(batch.tags) if self.options.like_the_authors else loss

    def validate(self) -> dict[str, float]:
        """span_f1 with its precision (of predicted spans, those that occur in the gold) and recall (of gold spans,
        those that occur among the predicted); word_f1 of what reading order makes of it with the true boxes."""
        examples = self.validation
        tagger = TextTagger(self.module, version="now")
        hits = found = there = 0
        for example, read in zip(examples, tagger.read([each.figure.caption for each in examples]), strict=True):
            gold, predicted = set(spans_to_learn(example)), set(read.spans)
            hits += len(gold & predicted)
            found += len(predicted)
            there += len(gold)
        return {
            "span_f1": 2 * hits / max(1, found + there),
            "span_precision": hits / max(1, found),
            "span_recall": hits / max(1, there),
            "word_f1": word_f1(tagger, examples),
        }


def make_task(examples: Sequence[Example], options: Options, problems: Problems) -> TextCrfTask:
    """See `prelabel.training.tasks.registry`. Raises AnnotatorError, one line, where the encoder cannot be had."""
    return TextCrfTask(
        TextCRF(encoder_for(captions_of(examples), options), dropout=options.dropout), examples, options
    )
