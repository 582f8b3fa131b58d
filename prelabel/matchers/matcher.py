"""The matcher of texts and images: a text encoder that gets the image as one more hidden state.

As in the MedICaT paper (section 4, appendix D) and its code: BERT reads a text, a caption or a sentence that
cites the figure, each with a token type of its own; before the layer `layer` the image's state, from a ResNet that
learns too, is put behind the text's; the score is a linear layer on the summary of the first state. Layers below
see the text alone, so that these are computed once for a text, for all its comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn

from panelwise.domain import AnnotatorError, Figure, FormatError
from prelabel.models.checkpoints import CONFIG, ENCODER, About, find_checkpoint, load_weights, read_about
from prelabel.models.classifier import Answers, FigureClassifier, Pixels, cropped, pixel_batch
from prelabel.models.devices import amp_of, choose_device
from prelabel.taggers.encoders import TokenEncoder, read_encoder

#: The layer, from 0, before which the image enters; of encoders that have no more layers, half of theirs.
LAYER = 6
#: Token types.
_CAPTION, _REFERENCE = 0, 1
#: BERT's deviation of weights that begin at random, from which the new layers begin too.
_SPREAD = 0.02


@dataclass(frozen=True, slots=True)
class Text:
    """A text that may describe an image: a caption, or a sentence that cites the figure (reference)."""

    words: str
    reference: bool = False


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Word pieces of texts, each (N, L) int64: ids, token types, and 1 where there is a piece."""

    ids: Tensor
    types: Tensor
    seen: Tensor


def texts_of(figure: Figure, *, references: bool) -> list[Text]:
    """Return the caption, and with `references` each sentence that cites the figure and is not blank."""
    cited = [Text(words, True) for words in figure.references if words.strip()] if references else []
    return [Text(figure.caption.text), *cited]


class Matcher(nn.Module):
    """Scores pairs of text and image. net: of the image's feature, a name of `FigureClassifier`.

    side: of the square in the middle of an image that it sees, in pixels. references: whether it learns from the
    sentences that cite a figure too. dropout: of the image's state.
    """

    def __init__(
        self, encoder: TokenEncoder, net: str, *, side: int, references: bool, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.encoder, self.net_name, self.side, self.references = encoder, net, side, references
        self.image_net = FigureClassifier(net, Answers(True, ()), side=side)
        size, width = self.image_net.net.fc.in_features, encoder.width
        self.image_net.net.fc = nn.Identity()
        self.project, self.summary = nn.Linear(size, width), nn.Linear(width, width)
        for layer in (self.project, self.summary):
            nn.init.normal_(layer.weight, std=_SPREAD)
            nn.init.zeros_(layer.bias)
        #: Added to each image's state.
        self.image_type = nn.Parameter(torch.zeros(width))
        if encoder.pooler:
            self.summary.load_state_dict(encoder.pooler)
        self.dropout = nn.Dropout(dropout)
        self.score = nn.Linear(width, 1)
        # An encoder without token types gets them here.
        typed = getattr(encoder.model.config, "type_vocab_size", 0) > _REFERENCE
        self.types = None if typed else nn.Embedding(2, width)
        # In a tuple, since they are modules of the encoder already.
        self._place = _layers(encoder.model)
        number = len(self._place[2])
        self.layer = LAYER if number > LAYER else number // 2
        framing = encoder.framing
        #: Most pieces of a text: the encoder's, but for the place of the image.
        self.longest = framing.room + len(framing.before) + len(framing.after) - 1

    @property
    def architecture(self) -> dict[str, Any]:
        """All that is needed to build it again, beside the encoder's folder."""
        return {
            "net": self.net_name,
            "side": self.side,
            "references": self.references,
            "encoder": self.encoder.name,
            "layer": self.layer,
        }

    @property
    def device(self) -> torch.device:
        """Return the device of the weights."""
        return self.project.weight.device

    @property
    def sized(self) -> bool:
        """Return whether it is as large as the paper's: uncased SciBERT, ResNet-50, 224 pixels, layer 6."""
        config = self.encoder.model.config
        size = (self.encoder.width, len(self._place[2]), getattr(config, "vocab_size", 0))
        return (*size, self.net_name, self.side, self.layer) == (768, 12, 31_090, "resnet50", 224, LAYER)

    def prepare(self, image: Image.Image) -> Pixels:
        """Return the middle of an upright, opaque image, (side, side, 3)."""
        return cropped(image, self.side, scale=1.0)

    def features(self, pixels: Sequence[Pixels]) -> Tensor:
        """(N, size) features of images that `prepare` made."""
        found: Tensor = self.image_net(pixel_batch(pixels).to(self.device))
        return found

    def read(self, texts: Sequence[Text], *, longest: int | None = None) -> TextBatch:
        """Cut texts into word pieces, on the CPU. longest: pieces of a text at most, what is over is cut off."""
        framing, tokenizer = self.encoder.framing, self.encoder.tokenizer
        cut = tokenizer([text.words for text in texts], add_special_tokens=False, verbose=False)["input_ids"]
        most = min(self.longest, longest or self.longest)
        rows = [[*framing.before, *pieces, *framing.after][:most] for pieces in cut]
        ids = np.full((len(rows), max(map(len, rows))), framing.padding, np.int64)
        types, seen = np.zeros_like(ids), np.zeros_like(ids)
        for place, (row, text) in enumerate(zip(rows, texts, strict=True)):
            ids[place, : len(row)], seen[place, : len(row)] = row, 1
            types[place, : len(row)] = _REFERENCE if text.reference else _CAPTION
        return TextBatch(*map(torch.from_numpy, (ids, types, seen)))

    def forward(self, texts: TextBatch, features: Tensor) -> Tensor:
        """Score texts with C images each. features: (N, C, size). Returns (N, C)."""
        return self.compare(self.lower(texts), texts, features)

    def lower(self, texts: TextBatch) -> Tensor:
        """(N, L, width): the hidden states of texts before the layer where images enter."""
        caught: list[Tensor] = []

        def catch(_module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            caught.append(given[0] if given else named["hidden_states"])

        ids, types, seen = (each.to(self.device) for each in (texts.ids, texts.types, texts.seen))
        model = self.encoder.model
        # One more layer runs than is needed: its hook sees what the ones below made.
        with self._only(slice(self.layer + 1), catch, before=self.layer):
            if self.types is None:
                model(input_ids=ids, token_type_ids=types, attention_mask=seen)
            else:
                embedded = model.get_input_embeddings()(ids) + self.types(types)
                model(inputs_embeds=embedded, attention_mask=seen)
        return caught[0]

    def compare(self, hidden: Tensor, texts: TextBatch, features: Tensor) -> Tensor:
        """Scores of texts whose lower hidden states are known; see `forward`."""
        number, choices = features.shape[:2]
        images = self.dropout(self.project(features) + self.image_type).flatten(0, 1).unsqueeze(1)
        states = torch.cat((hidden.repeat_interleave(choices, dim=0), images.to(hidden.dtype)), dim=1)
        seen = texts.seen.to(self.device).repeat_interleave(choices, dim=0)
        seen = torch.cat((seen, torch.ones_like(seen[:, :1])), dim=1)

        def put(_module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
            return ((states, *given[1:]), named) if given else (given, {**named, "hidden_states": states})

        with self._only(slice(self.layer, None), put, before=0):
            # What is embedded here is replaced; it says how long the texts are.
            found = self.encoder.model(inputs_embeds=torch.zeros_like(states), attention_mask=seen)
        first = found.last_hidden_state[:, 0].float()
        scores: Tensor = self.score(torch.tanh(self.summary(first)))
        return scores.view(number, choices)

    def save(self, folder: Path) -> None:
        """Write what `matcher_of` needs beside the weights."""
        self.encoder.save(folder / ENCODER)

    @contextmanager
    def _only(self, part: slice, hook: Any, *, before: int) -> Iterator[None]:
        """Run a part of the encoder's layers, with a hook before one of these."""
        parent, name, layers = self._place
        handle = layers[part][before].register_forward_pre_hook(hook, with_kwargs=True)
        setattr(parent, name, layers[part])
        try:
            yield
        finally:
            handle.remove()
            setattr(parent, name, layers)


def matcher_of(folder: Path, *, device: str = "auto") -> Matcher:
    """Open a checkpoint that `prelabel train matcher` wrote, ready to compare. Raises FormatError, one line."""
    about = read_about(folder, kind="matcher")
    place = find_checkpoint(folder)
    check_matcher(about, place)
    known: Mapping[str, Any] = about.architecture
    try:
        encoder = read_encoder(place / ENCODER, name=str(known["encoder"]))
        module = Matcher(encoder, str(known["net"]), side=int(known["side"]), references=bool(known["references"]))
    except (KeyError, ValueError):
        raise FormatError(
            f"{place / CONFIG}: the architecture of a matcher is missing; get a whole copy"
        ) from None
    load_weights(folder, module)
    module.to(choose_device(device)).eval()
    return module


def check_matcher(about: About, place: Path) -> None:
    """Raise FormatError, one line, for a matcher of before the image was put behind the text."""
    if "layer" not in about.architecture and "references" in about.architecture:
        raise FormatError(
            f"{place}: is a matcher of an earlier kind, whose image network did not learn, which this version "
            "can't open; train it again"
        )


def score_matrix(module: Matcher, texts: Sequence[Text], features: Tensor, *, batch: int) -> Iterator[Tensor]:
    """Yield for each text its score with each of the images: (len(features),), on the CPU.

    features: (M, size), see `Matcher.features`. batch: images compared at a time.
    """
    with torch.inference_mode(), amp_of(module.device):
        for text in texts:
            read = module.read([text])
            hidden = module.lower(read)
            parts = [
                module.compare(hidden, read, features[start : start + batch].to(module.device).unsqueeze(0))[0]
                for start in range(0, len(features), batch)
            ]
            yield torch.cat(parts).float().cpu()


def _layers(model: Any) -> tuple[Any, str, nn.ModuleList]:
    """Return where an encoder holds its layers: the module, its attribute, and the layers."""
    lists = [(name, each) for name, each in model.named_modules() if isinstance(each, nn.ModuleList)]
    if not lists:
        raise AnnotatorError(f"{type(model).__name__} has no list of layers; give another encoder, such as a BERT")
    name, layers = max(lists, key=lambda each: len(each[1]))
    parent, _, attribute = name.rpartition(".")
    return model.get_submodule(parent), attribute, layers
