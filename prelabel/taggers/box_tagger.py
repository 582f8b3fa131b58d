"""The Text+Box tagger: for each box the words of the caption that describe it, any number of spans, shared or not.

The box joins after the encoder (section 3.2 of the MedICaT paper), so a caption is encoded once for all its boxes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from panelwise.domain import AnnotatorError, Box
from prelabel.models.protocols import CaptionedBoxes, Tagged
from prelabel.taggers.crf import EmissionLayer, LinearChainCRF
from prelabel.taggers.decoding import (
    BIOUL,
    DIGITS,
    Emissions,
    Pace,
    Read,
    read_in_batches,
    read_sequences,
    read_single_spans,
)
from prelabel.taggers.encoders import TokenEncoder
from prelabel.taggers.spans import TAGS
from prelabel.taggers.wordpieces import PieceBatch, collate

#: Dropout behind the joint layer: the paper's best.
DROPOUT = 0.404

#: How rows become subcaptions: the CRF's best sequence, or the best single span (appendix C).
DECODERS = {"crf": read_sequences, "span": read_single_spans}

Corners = npt.NDArray[np.float32]


class BoxCRF(nn.Module):
    """Encoder; a box's four numbers made as wide as a token's encoding; the two joined by a layer of their own
    (ReLU, dropout); one linear layer; CRF over BIOUL tags.
    """

    kind = "box-crf"

    def __init__(self, encoder: TokenEncoder, *, dropout: float = DROPOUT) -> None:
        super().__init__()
        self.encoder = encoder
        self.place = nn.Linear(4, encoder.width)
        self.join = nn.Linear(2 * encoder.width, encoder.width)
        self.dropout = nn.Dropout(dropout)
        self.score = EmissionLayer(encoder.width, TAGS)
        self.crf = LinearChainCRF(BIOUL)

    @property
    def architecture(self) -> Mapping[str, Any]:
        """Return the settings needed to rebuild the tagger, beside its encoder."""
        return {"encoder": self.encoder.name, "dropout": self.dropout.p}

    def emissions(self, captions: PieceBatch, boxes: Corners, counts: Sequence[int]) -> Emissions:
        """A row for each box. boxes: (N, 4), shares of the image's width and height, in the order of the captions;
        counts: boxes of each caption."""
        encoded = self.encoder(captions)
        device = encoded.device
        owner = torch.repeat_interleave(torch.tensor(counts, device=device))
        # The joint layer of [token, box] is the sum of one part that all boxes share and one that all tokens do.
        of_tokens, of_boxes = self.join.weight.split(self.encoder.width, dim=1)
        tokens = nn.functional.linear(encoded, of_tokens, self.join.bias)
        places = nn.functional.linear(self.place(torch.from_numpy(boxes).to(device)), of_boxes)
        joined = torch.relu(tokens[owner] + places.unsqueeze(1))
        lengths = torch.from_numpy(captions.lengths).to(device)[owner]
        return Emissions(self.score(self.dropout(joined)), lengths)

    def forward(self, captions: PieceBatch, boxes: Corners, counts: Sequence[int], tags: Tensor) -> Tensor:
        """The loss: negative log-likelihood of the tags (N, T), the mean over boxes."""
        rows = self.emissions(captions, boxes, counts)
        return -self.crf.log_likelihood(rows.values, tags.to(rows.values.device), rows.lengths).mean()


class BoxTagger:
    """A trained Text+Box tagger, in evaluation mode on its device."""

    def __init__(self, module: BoxCRF, *, version: str, decode: str = "crf", pace: Pace | None = None) -> None:
        """decode: one of DECODERS; raises AnnotatorError for another."""
        if decode not in DECODERS:
            raise AnnotatorError(f'no decoding "{decode}"; give {" or ".join(DECODERS)}')
        self.module = module.eval()
        self.version = version if decode == "crf" else f"{version}-{decode}"
        self._decode = DECODERS[decode]
        self._pace = pace or Pace()

    def tag(self, items: Sequence[CaptionedBoxes]) -> list[Tagged]:
        """One each, in order; each box's score is its row's, see `read_sequences` and `read_single_spans`."""
        found = [Tagged((frozenset(),) * len(item.boxes), (0.0,) * len(item.boxes)) for item in items]
        wanted = [place for place, item in enumerate(items) if item.boxes and item.caption.ranges]
        for place, rows in zip(wanted, self.read([items[place] for place in wanted]), strict=True):
            found[place] = Tagged(
                tuple(row.tokens for row in rows), tuple(round(row.score, DIGITS) for row in rows)
            )
        return found

    def read(self, items: Sequence[CaptionedBoxes]) -> list[list[Read]]:
        """The spans of each box of each item, which has at least one token and one box."""
        encoder = self.module.encoder
        pieces = encoder.pieces([item.caption for item in items])
        boxes = [shares(item.boxes, item.width, item.height) for item in items]

        def encode(places: Sequence[int]) -> Emissions:
            rows: Emissions = self.module.emissions(
                collate([pieces[place] for place in places], encoder.framing),
                np.concatenate([boxes[place] for place in places]),
                [len(boxes[place]) for place in places],
            )
            return rows

        return read_in_batches(
            [len(each.ids) for each in pieces],
            lambda place: len(boxes[place]),
            encode,
            lambda rows: self._decode(self.module.crf, rows),
            device=encoder.device,
            pace=self._pace,
        )


def shares(boxes: Sequence[Box], width: float, height: float) -> Corners:
    """Boxes in pixels as (N, 4) shares of an image's width and height: x0 y0 x1 y1."""
    corners = np.array([box.as_list() for box in boxes], np.float32).reshape(-1, 4)
    sides = np.array([width, height, width, height], np.float32)
    return (corners / sides).astype(np.float32)
