"""The taggers of the MedICaT paper (section 3.2): networks that give each box the words that describe it.

The Text+Box tagger finds any number of spans for a box, shared or not. The box joins after the encoder, so a
caption is encoded once for all its boxes. The text-only tagger never sees the boxes: BERT and a CRF find the spans
of a caption, and reading order gives them to the boxes (appendix C).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from panelwise.domain import AnnotatorError, Box, Caption, FormatError
from prelabel.models.checkpoints import CONFIG, ENCODER, find_checkpoint, load_weights, read_about
from prelabel.models.devices import choose_device
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
from prelabel.taggers.encoders import TokenEncoder, read_encoder
from prelabel.taggers.spans import TAGS, Order, paired, row_order
from prelabel.taggers.wordpieces import PieceBatch, collate

#: Dropout of the text-only tagger before its tags are scored, and of the other behind the joint layer: the paper's
#: best.
_TEXT_DROPOUT, _BOX_DROPOUT = 0.182, 0.404

#: How rows become subcaptions: the CRF's best sequence, or the best single span (appendix C).
DECODERS = {"crf": read_sequences, "span": read_single_spans}

Corners = npt.NDArray[np.float32]


class TextCRF(nn.Module):
    """Encoder, dropout, one linear layer, CRF over BIOUL tags."""

    kind = "text-crf"

    def __init__(self, encoder: TokenEncoder, *, dropout: float = _TEXT_DROPOUT) -> None:
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
    """A trained text-only tagger, in evaluation mode on its device. order: of boxes that get spans."""

    def __init__(
        self, module: TextCRF, *, version: str, pace: Pace | None = None, order: Order = row_order
    ) -> None:
        self.module, self.order = module.eval(), order
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
            given = paired(items[place].boxes, parts, (frozenset[int](), read.score), order=self.order)
            found[place] = Tagged(
                tuple(tokens for tokens, _ in given), tuple(round(score, DIGITS) for _, score in given)
            )
        return found

    def read(self, captions: Sequence[Caption]) -> list[Read]:
        """The spans of each caption, which has at least one token."""
        encoder = self.module.encoder
        pieces = encoder.pieces(captions)
        rows = read_in_batches(
            [len(caption.ids) for caption in pieces],
            lambda _: 1,
            lambda places: self.module.emissions(collate([pieces[place] for place in places], encoder.framing)),
            lambda rows: read_sequences(self.module.crf, rows),
            device=encoder.device,
            pace=self._pace,
        )
        return [row for (row,) in rows]


class BoxCRF(nn.Module):
    """Encoder; a box's four numbers made as wide as a token's encoding; the two joined by a layer of their own
    (ReLU, dropout); one linear layer; CRF over BIOUL tags.
    """

    kind = "box-crf"

    def __init__(self, encoder: TokenEncoder, *, dropout: float = _BOX_DROPOUT) -> None:
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
            [len(caption.ids) for caption in pieces],
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


#: The kinds of checkpoints that are taggers.
_MODULES: dict[str, type[TextCRF] | type[BoxCRF]] = {TextCRF.kind: TextCRF, BoxCRF.kind: BoxCRF}


def tagger_of(
    folder: Path, *, device: str, decode: str, amp: bool, warn: Callable[[str], None] | None
) -> TextTagger | BoxTagger:
    """See `open_tagger`."""
    about = read_about(folder, warn=warn)
    if about.kind not in _MODULES:
        raise FormatError(f'{folder}: holds a "{about.kind}"; name the folder of a text-crf or a box-crf')
    if decode not in DECODERS:
        raise AnnotatorError(f'no decoding "{decode}"; give {" or ".join(DECODERS)}')
    if decode == "span" and about.kind == TextCRF.kind:
        raise AnnotatorError(
            f"{folder}: a text-crf does not see the boxes, so it cannot find a span for one; give --decode crf"
        )
    where = choose_device(device)
    place = find_checkpoint(folder)
    name, dropout = about.architecture.get("encoder"), about.architecture.get("dropout")
    if not isinstance(name, str) or not isinstance(dropout, int | float) or not 0 <= dropout < 1:
        raise FormatError(f"{place / CONFIG}: the architecture of a {about.kind} is missing; get a whole copy")
    module = _MODULES[about.kind](read_encoder(place / ENCODER, name=name), dropout=float(dropout))
    load_weights(folder, module)
    module.to(where)
    pace = Pace(None, amp, warn)
    if isinstance(module, BoxCRF):
        return BoxTagger(module, version=about.version, decode=decode, pace=pace)
    return TextTagger(module, version=about.version, pace=pace)
