"""Training a matcher: of three images, which one a text describes (MedICaT, section 4 and appendix D).

An example of training is one text with its figure's image: the caption, and with `--references` each sentence that
cites the figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import Problems
from panelwise.runtime import counted
from prelabel.detectors.faster_rcnn import read_weights
from prelabel.matchers.matcher import Matcher, Text, TextBatch, texts_of
from prelabel.models.classifier import SIDE, Pixels, imagenet, pixel_batch
from prelabel.models.devices import choose_device
from prelabel.training.data.examples import Example, ImageCache, of_split
from prelabel.training.data.splits import Split
from prelabel.training.loop.options import Options
from prelabel.training.tasks.classifier import CACHE_BYTES
from prelabel.training.tasks.shared import encoder_for

#: Images drawn at random beside the right one, in training and in validation.
NEGATIVES, NEGATIVES_VALIDATED = 2, 20
#: Word pieces of a text at most in training; validation and test read all that the encoder takes.
LONGEST = 256
#: Images whose feature is computed at a time.
_FEATURES = 32


@dataclass(frozen=True, eq=False, slots=True)
class Batch:
    """Texts, and for each the right image and others, (N, C, 3, side, side) uint8, the right one first."""

    texts: TextBatch
    pixels: Tensor


class MatcherTask:
    """A matcher to train by `prelabel.training.loop.epochs.fit`.

    The other images are of other figures; like the authors', those of texts drawn at random, its own among them.
    Score: the share of validation captions, without references, whose image is first among 20 others.
    """

    better = "accuracy"

    def __init__(self, module: Matcher, examples: Sequence[Example], problems: Problems, options: Options) -> None:
        self.module: Any = module
        self._size, self._workers, self._alike = options.batch, max(1, options.workers), options.like_the_authors
        self._images = image_cache(module, problems, room=CACHE_BYTES)
        self._examples = self._images.readable(examples, self._workers)
        for split, what in ((Split.TRAIN, "train"), (Split.VAL, "validate")):
            if len(self._examples[split]) < 2:
                raise FormatError(
                    f"{counted(len(self._examples[split]), 'readable image')} to {what} with, and two are needed "
                    "to tell apart; give more figures"
                )

    @property
    def architecture(self) -> Mapping[str, Any]:
        """Of the module."""
        architecture: Mapping[str, Any] = self.module.architecture
        return architecture

    @property
    def trivial(self) -> float:
        """The score of a guess."""
        return 1 / min(1 + NEGATIVES_VALIDATED, len(self._examples[Split.VAL]))

    def batches(self, split: str, epoch: int, seed: int) -> Iterable[Batch]:
        """Texts in an order that depends on split, epoch and seed only, each with its image and others."""
        examples = self._examples[Split(split)]
        pairs = [
            (text, place)
            for place, example in enumerate(examples)
            for text in texts_of(example.figure, references=self.module.references)
        ]
        rng = np.random.default_rng([seed, epoch, *split.encode()])
        order = rng.permutation(len(pairs)).tolist()
        owners = np.array([place for _, place in pairs])
        with ThreadPoolExecutor(self._workers) as readers:
            for start in range(0, len(order), self._size):
                chosen = [pairs[place] for place in order[start : start + self._size]]
                places = _with_others([place for _, place in chosen], len(examples), NEGATIVES, rng)
                if self._alike:
                    places[:, 1:] = owners[rng.integers(len(owners), size=places[:, 1:].shape)]
                pixels = list(readers.map(self._images.read, [examples[place] for place in places.flat]))
                texts = self.module.read([text for text, _ in chosen], longest=LONGEST)
                yield Batch(texts, pixel_batch(pixels).unflatten(0, places.shape))

    def loss(self, batch: Batch) -> Any:
        """Cross entropy of the right image among those of a text."""
        number, choices = batch.pixels.shape[:2]
        features = self.module.image_net(batch.pixels.flatten(0, 1).to(self.module.device))
        scores = self.module(batch.texts, features.unflatten(0, (number, choices)))
        return cross_entropy(scores, torch.zeros(number, dtype=torch.long, device=scores.device))

    def validate(self) -> dict[str, float]:
        """See the class; the same images are drawn in every epoch."""
        examples, features = features_of(self.module, self._examples[Split.VAL], self._images, self._workers)
        rng = np.random.default_rng(0)
        right: list[bool] = []
        for start in range(0, len(examples), self._size):
            some = examples[start : start + self._size]
            places = _with_others(range(start, start + len(some)), len(examples), NEGATIVES_VALIDATED, rng)
            texts = self.module.read([Text(example.figure.caption.text) for example in some])
            scores = self.module(texts, features[torch.from_numpy(places)].to(self.module.device))
            # Equal scores are no answer: the right image must be above all others.
            right += (scores[:, 0] > scores[:, 1:].max(dim=1).values).tolist()
        return {"accuracy": float(np.mean(right))}

    def write_extra(self, folder: Path) -> None:
        """Write the encoder's configuration and tokenizer."""
        self.module.save(folder)


def make_task(examples: Sequence[Example], options: Options, problems: Problems) -> MatcherTask:
    """The task of `prelabel train matcher`. Raises AnnotatorError for options that cannot be."""
    training = of_split(examples, Split.TRAIN)
    texts = [text for each in training for text in texts_of(each.figure, references=options.references)]
    encoder = encoder_for([text.words for text in texts], options)
    for each in encoder.model.modules():
        if isinstance(each, torch.nn.Dropout):
            each.p = options.dropout
    side = options.side or SIDE
    module = Matcher(
        encoder, options.architecture, side=side, references=options.references, dropout=options.dropout
    )
    if options.weights:
        module.image_net.begin_from(read_weights(Path(options.weights)))
    elif not options.random_weights:
        module.image_net.begin_from(imagenet(module.net_name))
    module.to(choose_device(options.device)).eval()
    return MatcherTask(module, examples, problems, options)


def image_cache(module: Matcher, problems: Problems, *, room: int = 0) -> ImageCache[Pixels]:
    """Return a reader of images as a matcher sees them. room: bytes to cache."""
    return ImageCache(module.prepare, lambda pixels: int(pixels.nbytes), problems, room=room)


def features_of(
    module: Matcher, examples: Sequence[Example], images: ImageCache[Pixels], workers: int
) -> tuple[list[Example], Tensor]:
    """Return the examples whose image can be read, and its features, (N, size) float32 on the CPU."""

    def read(example: Example) -> Pixels | None:
        try:
            return images.read(example)
        except AnnotatorError as error:
            images.problems.add(f'figure "{example.figure.id}": {error}; left it out')
            return None

    readable: list[Example] = []
    parts = [torch.empty(0, module.project.in_features)]
    with ThreadPoolExecutor(max(1, workers)) as readers, torch.no_grad():
        for start in range(0, len(examples), _FEATURES):
            some = examples[start : start + _FEATURES]
            read_ones = zip(some, readers.map(read, some), strict=True)
            fine = [(each, pixels) for each, pixels in read_ones if pixels is not None]
            if fine:
                readable += [each for each, _ in fine]
                parts.append(module.features([pixels for _, pixels in fine]).float().cpu())
    return readable, torch.cat(parts)


def _with_others(chosen: Iterable[int], count: int, others: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """(N, 1 + others): each of the chosen places of `count`, and others drawn at random, each once."""
    right = np.asarray(list(chosen))[:, None]
    # Places among all but the right one: from the right one on they are one further.
    drawn = np.stack([rng.choice(count - 1, min(others, count - 1), replace=False) for _ in right])
    places: np.ndarray[Any, Any] = np.concatenate((right, drawn + (drawn >= right)), axis=1)
    return places
