"""Training a matcher: of three images, which one a caption describes (MedICaT, section 4 and appendix D)."""

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

from panelwise.domain import AnnotatorError, Figure, FormatError
from panelwise.files import Problems
from panelwise.images import read_bytes, read_picture
from panelwise.runtime import counted
from prelabel.detectors.faster_rcnn import read_weights
from prelabel.matchers.matcher import Matcher
from prelabel.models.classifier import SIDE, Pixels, imagenet, squared
from prelabel.models.devices import choose_device
from prelabel.training.data.examples import Example, of_split
from prelabel.training.data.splits import Split
from prelabel.training.loop.options import Options
from prelabel.training.tasks.shared import encoder_for

#: Images drawn at random beside the right one, in training and in validation.
NEGATIVES, NEGATIVES_VALIDATED = 2, 20
#: Images whose feature is computed at a time.
_FEATURES = 32


@dataclass(frozen=True, eq=False, slots=True)
class Batch:
    """Texts of figures, and the features of the right image and of others, (N, C, size), the right one first."""

    figures: list[Figure]
    features: Tensor


class MatcherTask:
    """A matcher to train by `prelabel.training.loop.epochs.fit`. Computes image features before the first epoch.

    Score: the share of validation captions, without references, whose image is first among 20 others.
    """

    better = "accuracy"

    def __init__(self, module: Matcher, examples: Sequence[Example], problems: Problems, options: Options) -> None:
        self.module: Any = module
        self._options = options
        self._figures: dict[str, list[Figure]] = {}
        self._features: dict[str, Tensor] = {}
        for split, what in ((Split.TRAIN, "train"), (Split.VAL, "validate")):
            readable, self._features[split] = features_of(
                module, of_split(examples, split), problems, options.workers
            )
            self._figures[split] = [each.figure for each in readable]
            if len(readable) < 2:
                raise FormatError(
                    f"{counted(len(readable), 'readable image')} to {what} with, and two are needed to tell "
                    "apart; give more figures"
                )

    @property
    def architecture(self) -> Mapping[str, Any]:
        """Of the module."""
        architecture: Mapping[str, Any] = self.module.architecture
        return architecture

    @property
    def trivial(self) -> float:
        """The score of a guess."""
        return 1 / min(1 + NEGATIVES_VALIDATED, len(self._figures[Split.VAL]))

    def batches(self, split: str, epoch: int, seed: int) -> Iterable[Batch]:
        """Figures in an order that depends on split, epoch and seed only, each with other images."""
        rng = np.random.default_rng([seed, epoch, *split.encode()])
        order = rng.permutation(len(self._figures[split]))
        for start in range(0, len(order), self._options.batch):
            yield self._batch(split, order[start : start + self._options.batch].tolist(), NEGATIVES, rng)

    def loss(self, batch: Batch) -> Any:
        """Cross entropy of the right image among those of the batch."""
        texts = self.module.texts(batch.figures, references=self.module.references)
        scores = self.module(texts, batch.features.to(self.module.device))
        return cross_entropy(scores, torch.zeros(len(scores), dtype=torch.long, device=scores.device))

    def validate(self) -> dict[str, float]:
        """See the class; the same images are drawn in every epoch."""
        rng = np.random.default_rng(0)
        right: list[bool] = []
        for start in range(0, len(self._figures[Split.VAL]), self._options.batch):
            chosen = range(start, min(start + self._options.batch, len(self._figures[Split.VAL])))
            batch = self._batch(Split.VAL, chosen, NEGATIVES_VALIDATED, rng)
            texts = self.module.texts(batch.figures, references=False)
            scores = self.module(texts, batch.features.to(self.module.device))
            # Equal scores are no answer: the right image must be above all others.
            right += (scores[:, 0] > scores[:, 1:].max(dim=1).values).tolist()
        return {"accuracy": float(np.mean(right))}

    def write_extra(self, folder: Path) -> None:
        """Write the encoder's configuration and tokenizer."""
        self.module.save(folder)

    def _batch(self, split: str, chosen: Sequence[int], negatives: int, rng: np.random.Generator) -> Batch:
        figures, features = self._figures[split], self._features[split]
        others = min(negatives, len(figures) - 1)
        # Places among all but the right one: from the right one on they are one further.
        drawn = np.stack([rng.choice(len(figures) - 1, others, replace=False) for _ in chosen])
        right = np.asarray(chosen)[:, None]
        places = np.concatenate((right, drawn + (drawn >= right)), axis=1)
        return Batch([figures[place] for place in chosen], features[torch.from_numpy(places)])


def make_task(examples: Sequence[Example], options: Options, problems: Problems) -> MatcherTask:
    """The task of `prelabel train matcher`. Raises AnnotatorError for options that cannot be."""
    encoder = encoder_for(examples, options)
    for each in encoder.model.modules():
        if isinstance(each, torch.nn.Dropout):
            each.p = options.dropout
    module = Matcher(encoder, options.architecture, side=options.side or SIDE, references=options.references)
    if options.weights:
        module.image_net.begin_from(read_weights(Path(options.weights)))
    elif not options.random_weights:
        module.image_net.begin_from(imagenet(module.net_name))
    module.to(choose_device(options.device)).eval()
    return MatcherTask(module, examples, problems, options)


def features_of(
    module: Matcher, examples: Sequence[Example], problems: Problems, workers: int
) -> tuple[list[Example], Tensor]:
    """Return the examples whose image can be read, and its features, (N, size) float32 on the CPU."""

    def read(example: Example) -> Pixels | None:
        try:
            return squared(read_picture(read_bytes(example.image), example.image).image, module.side)
        except AnnotatorError as error:
            problems.add(f'figure "{example.figure.id}": {error}; left it out')
            return None

    readable: list[Example] = []
    parts = [torch.empty(0, module.project.in_features)]
    with ThreadPoolExecutor(max(1, workers)) as readers:
        for start in range(0, len(examples), _FEATURES):
            some = examples[start : start + _FEATURES]
            read_ones = zip(some, readers.map(read, some), strict=True)
            fine = [(each, pixels) for each, pixels in read_ones if pixels is not None]
            if fine:
                readable += [each for each, _ in fine]
                parts.append(module.features([pixels for _, pixels in fine]).cpu())
    return readable, torch.cat(parts)
