"""The text-only tagger: BERT and a CRF find the spans of a caption; reading order gives them to the boxes.

It never sees the boxes: section 3.2 and appendix C of the MedICaT paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from panelwise.domain import Caption
from prelabel.models.protocols import CaptionedBoxes, Tagged
from prelabel.taggers.crf import EmissionLayer, LinearChainCRF
from prelabel.taggers.decoding import BIOUL, DIGITS, Emissions, Pace, Read, read_in_batches, read_sequences
from prelabel.taggers.encoders import TokenEncoder
from prelabel.taggers.spans import TAGS, paired
from prelabel.taggers.wordpieces import PieceBatch, collate

#: Dropout before the tags are scored: the paper's best.
DROPOUT = 0.182


class TextCRF(nn.Module):
    """Encoder, dropout, one linear layer, CRF over BIOUL tags."""

    kind = "text-crf"

    def __init__(self, encoder: TokenEncoder, *, dropout: float = DROPOUT) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.score = EmissionLayer(encoder.width, TAGS)
        self.crf = LinearChainCRF(BIOUL)

    @property
    def architecture(self) -> Mapping[str, Any]:
        """Return the settings needed to rebuild the tagger, beside its encoder."""
        return {"encoder": self.encoder.name, "dropout": self.dropout.p}

    def emissions(self, captions: PieceBatch) -> Emissions:
        """A row for each caption."""
        values = self.score(self.dropout(self.encoder(captions)))
        return Emissions(values, torch.from_numpy(captions.lengths).to(values.device))

    def forward(self, captions: PieceBatch, tags: Tensor) -> Tensor:
        """The loss: negative log-likelihood of the tags (C, T), the mean over captions."""
        rows = self.emissions(captions)
        return -self.crf.log_likelihood(rows.values, tags.to(rows.values.device), rows.lengths).mean()


class TextTagger:
    """A trained text-only tagger, in evaluation mode on its device."""

    def __init__(self, module: TextCRF, *, version: str, pace: Pace | None = None) -> None:
        self.module = module.eval()
        self.version = version
        self._pace = pace or Pace()

    def tag(self, items: Sequence[CaptionedBoxes]) -> list[Tagged]:
        """One each, in order: the caption's spans handed to the boxes by `paired`.

        A box's score is that of its span; where the caption has none, the probability that there is none.
        """
        found = [Tagged((frozenset(),) * len(item.boxes), (0.0,) * len(item.boxes)) for item in items]
        wanted = [place for place, item in enumerate(items) if item.boxes and item.caption.ranges]
        for place, read in zip(wanted, self.read([items[place].caption for place in wanted]), strict=True):
            parts = [(frozenset(range(*span)), score) for span, score in zip(read.spans, read.scores, strict=True)]
            given = paired(items[place].boxes, parts, (frozenset[int](), read.score))
            found[place] = Tagged(
                tuple(tokens for tokens, _ in given), tuple(round(score, DIGITS) for _, score in given)
            )
        return found

    def read(self, captions: Sequence[Caption]) -> list[Read]:
        """The spans of each caption, which has at least one token."""
        encoder = self.module.encoder
        pieces = encoder.pieces(captions)
        rows = read_in_batches(
            [len(each.ids) for each in pieces],
            lambda _: 1,
            lambda places: self.module.emissions(collate([pieces[place] for place in places], encoder.framing)),
            lambda rows: read_sequences(self.module.crf, rows),
            device=encoder.device,
            pace=self._pace,
        )
        return [row for (row,) in rows]
