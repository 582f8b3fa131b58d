"""The matcher of texts and images: a text encoder that gets the image as one more hidden state.

As in the MedICaT paper (section 4, appendix D). The encoder is any that transformers knows with a list of layers;
the image is the feature of a ResNet that is not trained further. The image's place is in the text from the
beginning, as a mask, and gets the image before the layer `layer`: all layers below see the text alone, so that
these are computed once for a text, for all its comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from panelwise.domain import AnnotatorError, Figure, FormatError
from prelabel.models.checkpoints import CONFIG, ENCODER, find_checkpoint, load_weights, read_about
from prelabel.models.classifier import Answers, FigureClassifier, Pixels, pixel_batch
from prelabel.models.devices import amp_of, choose_device
from prelabel.taggers.encoders import TokenEncoder, read_encoder

#: The layer before which the image enters, of encoders that have more layers; of others it is half of theirs.
LAYER = 6
#: Kinds of hidden states, each with an embedding of its own.
_CAPTION, _REFERENCE, _IMAGE = 0, 1, 2


class Matcher(nn.Module):
    """Scores pairs of text and image. net: of the image's feature, a name of `FigureClassifier`.

    references: whether it learns from texts with the sentences that cite the figure.
    """

    def __init__(self, encoder: TokenEncoder, net: str, *, side: int, references: bool) -> None:
        super().__init__()
        self.encoder, self.net_name, self.side, self.references = encoder, net, side, references
        self.image_net = FigureClassifier(net, Answers(True, ()), side=side)
        size = self.image_net.net.fc.in_features
        self.image_net.net.fc = nn.Identity()
        self.image_net.requires_grad_(False)
        self.project = nn.Linear(size, encoder.width)
        self.kinds = nn.Embedding(3, encoder.width)
        nn.init.normal_(self.kinds.weight, std=0.02)
        self.score = nn.Linear(encoder.width, 1)
        # In a tuple, since they are modules of the encoder already.
        self._place = _layers(encoder.model)
        number = len(self._place[2])
        self.layer = LAYER if number > LAYER else number // 2

    @property
    def architecture(self) -> dict[str, Any]:
        """All that is needed to build it again, beside the encoder's folder."""
        return {
            "net": self.net_name,
            "side": self.side,
            "references": self.references,
            "encoder": self.encoder.name,
        }

    @property
    def device(self) -> torch.device:
        """Return the device of the weights."""
        return self.project.weight.device

    def train(self, mode: bool = True) -> Matcher:
        """Set training mode; the image's network stays as it is, statistics of its batches included."""
        super().train(mode)
        self.image_net.eval()
        return self

    def features(self, pixels: Sequence[Pixels]) -> Tensor:
        """(N, size) float32 features of images that `squared` made."""
        with torch.no_grad():
            found: Tensor = self.image_net(pixel_batch(pixels).to(self.device))
        return found.float()

    def texts(self, figures: Sequence[Figure], *, references: bool) -> tuple[Tensor, Tensor, Tensor]:
        """Return ids, kinds and attention mask, each (N, L), of texts; the image's place is before the caption."""
        framing, tokenizer = self.encoder.framing, self.encoder.tokenizer
        slot = tokenizer.mask_token_id
        slot = tokenizer.unk_token_id if slot is None else slot
        room = framing.room - 1
        rows: list[tuple[list[int], list[int]]] = []
        for figure in figures:
            parts = [figure.caption.text, " ".join(figure.references) if references else ""]
            cut = tokenizer(parts, add_special_tokens=False, verbose=False)["input_ids"]
            caption = cut[0][:room]
            cited = [*framing.after, *cut[1]][: room - len(caption)] if cut[1] else []
            ids = [*framing.before, slot, *caption, *cited, *framing.after]
            before = len(framing.before)
            rest = len(ids) - before - 1 - len(caption)
            rows.append((ids, [_CAPTION] * before + [_IMAGE] + [_CAPTION] * len(caption) + [_REFERENCE] * rest))
        longest = max(len(ids) for ids, _ in rows)
        ids_array = np.full((len(rows), longest), framing.padding, np.int64)
        kinds, seen = np.zeros_like(ids_array), np.zeros_like(ids_array)
        for row, (ids, kind) in enumerate(rows):
            ids_array[row, : len(ids)], kinds[row, : len(ids)], seen[row, : len(ids)] = ids, kind, 1
        found = [torch.from_numpy(each).to(self.device) for each in (ids_array, kinds, seen)]
        return found[0], found[1], found[2]

    def forward(self, texts: tuple[Tensor, Tensor, Tensor], features: Tensor) -> Tensor:
        """texts: see `texts`. features: (N, C, size), of C images for each text. Returns (N, C) scores."""
        return self.compare(self.lower(texts), texts, features)

    def lower(self, texts: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        """(N, L, width): the hidden states of texts before the layer where images enter."""
        caught: list[Tensor] = []

        def catch(_module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
            caught.append(given[0] if given else named["hidden_states"])

        # One more layer runs than is needed: its hook sees what the ones below made.
        with self._only(slice(self.layer + 1), self.layer, catch):
            self._run(texts)
        return caught[0]

    def compare(self, hidden: Tensor, texts: tuple[Tensor, Tensor, Tensor], features: Tensor) -> Tensor:
        """Scores of texts whose lower hidden states are known; see `forward`."""
        number, choices = features.shape[:2]
        place = len(self.encoder.framing.before)
        images = self.project(features) + self.kinds.weight[_IMAGE]
        wide = hidden.repeat_interleave(choices, dim=0)
        wide = torch.cat(
            (wide[:, :place], images.flatten(0, 1).unsqueeze(1).to(wide.dtype), wide[:, place + 1 :]), 1
        )
        repeated = tuple(text.repeat_interleave(choices, dim=0) for text in texts)

        def put(_module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
            return ((wide, *given[1:]), named) if given else (given, {**named, "hidden_states": wide})

        with self._only(slice(self.layer, None), 0, put):
            found = self._run((repeated[0], repeated[1], repeated[2]))
        scores: Tensor = self.score(found[:, 0].float())
        return scores.view(number, choices)

    def save(self, folder: Path) -> None:
        """Write what `matcher_of` needs beside the weights."""
        self.encoder.save(folder / ENCODER)

    def _run(self, texts: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        ids, kinds, seen = texts
        embedded = self.encoder.model.get_input_embeddings()(ids) + self.kinds(kinds)
        found: Tensor = self.encoder.model(inputs_embeds=embedded, attention_mask=seen).last_hidden_state
        return found

    @contextmanager
    def _only(self, part: slice, place: int, hook: Any) -> Iterator[None]:
        """Run a part of the encoder's layers, with a hook before one of these."""
        parent, name, layers = self._place
        handle = layers[part][place].register_forward_pre_hook(hook, with_kwargs=True)
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


def score_matrix(
    module: Matcher, figures: Sequence[Figure], features: Tensor, *, references: bool, batch: int
) -> Iterator[Tensor]:
    """Yield for each figure's text its score with each of the images: (len(features),), on the CPU.

    batch: images compared at a time.
    """
    with torch.inference_mode(), amp_of(module.device):
        for figure in figures:
            texts = module.texts([figure], references=references)
            hidden = module.lower(texts)
            parts = [
                module.compare(hidden, texts, features[start : start + batch].to(module.device).unsqueeze(0))[0]
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
