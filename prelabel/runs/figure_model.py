"""Predict subfigures by trained models, with the classic pre-labeller for parts that are not trained.

The detector (or the classic splitter) finds boxes, the tagger (or the caption's grammar) their words. Boxes are
labelled as the caption labels its panels: by reading order and the caption's words for positions, as in the
classic pre-labeller (`prelabel.classic.alignment`), since no letters are read from the image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from PIL import Image

from panelwise.domain import AnnotatorError, Box, Figure, InvalidAnnotation, Items, Prediction, Subfigure
from panelwise.runtime import record_fault
from prelabel.captions.parser import ParsedCaption, parse_caption
from prelabel.classic.alignment import Alignment, align
from prelabel.classic.prelabeller import CLASSIC, ClassicPrelabeller
from prelabel.detectors.onnx_panel_net import OnnxPanelNet
from prelabel.models.protocols import THRESHOLD, CaptionedBoxes, Detections, Detector, Tagger
from prelabel.panels.splitter import Split
from prelabel.runs.opening import CRF, Recipe, open_splitter, parts_of
from prelabel.runs.predict import Job, limits_of, open_job

if TYPE_CHECKING:
    import torch

    from prelabel.models.sizing import Prepared, Staged

#: A prediction, or the message for a figure that failed.
Outcome = Prediction | str

#: A figure in which the detector finds nothing is given one box over the whole of it, as a figure that is not
#: compound has in the data; nothing speaks for that box.
NOTHING_FOUND = 0.0
#: Boxes of fewer pixels than this a side are a slip of the detector's.
LEAST_SIDE = 1.0


class Classifier(Protocol):
    """Predicts the kind of a figure from its image."""

    @property
    def version(self) -> str:
        """Name and short hash of the weights, stored with each prediction."""
        ...

    def items(self, images: Sequence[Image.Image]) -> Sequence[Items]:
        """Return one each, in order: types, and whether the figure is compound, where the model predicts it."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A figure with its image read. size: width and height. image: if a model needs the pixels unchanged.

    prepared: the detector's preprocessed input, if it works in two steps.
    """

    figure: Figure
    size: tuple[int, int]
    image: Image.Image | None = None
    prepared: Prepared | None = None


@dataclass(frozen=True, slots=True)
class _Boxed:
    """A figure with its boxes in its own pixels, each with the label and words from the caption.

    scores: of the boxes, and of their words if they are final.
    """

    figure: Figure
    subfigures: tuple[Subfigure, ...]
    scores: tuple[float, ...]


class FigureModel:
    """Predicts batches of figures. Pickles as its recipe: weights are loaded again after unpickling.

    version: names everything that its output depends on: "frcnn-1f3a9c02+box-crf-77ab01de".
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        detector: Detector | None = None,
        tagger: Tagger | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """Open the recipe's models. detector, tagger: models to use instead (it cannot be pickled then).

        Raises AnnotatorError if a model cannot be opened.
        """
        self.recipe = recipe
        self._given = detector is not None or tagger is not None
        self._warn = warn
        self._detector = detector if detector is not None else _open_detector(recipe, warn)
        self._tagger = tagger if tagger is not None else _open_tagger(recipe, warn)
        self._classifier = _open_classifier(recipe)
        self._classic = CLASSIC if self._detector is not None else open_splitter(recipe, warn)
        self._staged = _staged(self._detector)
        self.version = self._version()
        #: Figures predicted and stored together; unchanged if memory has made batches smaller.
        self.chunk = recipe.chunk(getattr(self._detector, "batch", 1))
        #: Where torch's networks are, if there are any: `done` may run in threads side by side then.
        self.device: torch.device | None = self._device_of(recipe)

    @property
    def single(self) -> ClassicPrelabeller | None:
        """Return the whole model as one that takes figures one by one and can be sent to other processes; None if
        it has parts of torch, or none of the splitter."""
        parts = self._detector, self._tagger, self._classifier, self.device
        return self._classic if all(part is None for part in parts) else None

    @property
    def in_threads(self) -> bool:
        """Return whether threads may predict side by side although no part is of torch."""
        return isinstance(self._detector, OnnxPanelNet)

    @property
    def read(self) -> int:
        """Return the number of images whose letters were read."""
        return self._classic.read

    def __reduce__(self) -> tuple[type[FigureModel], tuple[Recipe]]:
        if self._given:
            raise TypeError("a FigureModel of models at hand cannot be sent to another process")
        return FigureModel, (self.recipe,)

    def __call__(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Return one outcome each, in order. A figure that fails does not affect the others."""
        return self.done([self.opened(job) for job in jobs])

    def opened(self, job: Job) -> Opened | str:
        """Do the first step, which threads may run ahead: read the image, or return the problem."""
        figure, path = job
        if self._staged is None or self._classifier is not None:
            found = open_job(job)
            return found if isinstance(found, str) else self._opened(*found)
        from prelabel.models.sizing import read_prepared

        try:
            prepared = read_prepared(path, self._staged, limits_of(figure))
        except AnnotatorError as error:
            return f'figure "{figure.id}": {error}'
        return Opened(figure, prepared.size, prepared=self._informed(prepared, figure))

    def done(self, opened: Sequence[Opened | str]) -> list[Outcome]:
        """Do the second step: return one outcome each, in order."""
        outcomes = iter(self._outcomes([each for each in opened if isinstance(each, Opened)]))
        return [each if isinstance(each, str) else next(outcomes) for each in opened]

    def predict(self, figure: Figure, image: Image.Image) -> Prediction:
        """Return the prediction for one figure, as a `Prelabeller`. Raises AnnotatorError on failure."""
        (found,) = self._predictions([self._opened(figure, image)])
        return found

    def _opened(self, figure: Figure, image: Image.Image) -> Opened:
        if self._staged is None:
            return Opened(figure, image.size, image)
        return Opened(figure, image.size, image, self._informed(self._staged.prepare(image), figure))

    def _informed(self, prepared: Prepared, figure: Figure) -> Prepared:
        """Add what the detector wants to know of the caption; not every detector in two steps has such a wish."""
        with_caption = getattr(self._staged, "with_caption", None)
        informed: Prepared = prepared if with_caption is None else with_caption(prepared, figure.caption)
        return informed

    def _outcomes(self, ready: Sequence[Opened]) -> list[Outcome]:
        if not ready:
            return []
        try:
            return list(self._predictions(ready))
        except Exception as error:
            # An error in one figure must not lose the others: each is repeated alone.
            if len(ready) > 1:
                return [outcome for each in ready for outcome in self._outcomes([each])]
            fault = str(error) if isinstance(error, AnnotatorError) else record_fault(error)
            return [f'figure "{ready[0].figure.id}": the model failed on it ({fault})']

    def _predictions(self, ready: Sequence[Opened]) -> list[Prediction]:
        boxed = self._boxed(ready)
        if self._tagger is not None:
            boxed = _tagged(self._tagger, boxed)
        found = [Prediction(each.figure, self.version, each.subfigures, each.scores) for each in boxed]
        if self._classifier is not None:
            items = self._classifier.items([each.image for each in ready if each.image is not None])
            found = [replace(each, items=of_it) for each, of_it in zip(found, items, strict=True)]
        return found

    def _boxed(self, ready: Sequence[Opened]) -> list[_Boxed]:
        words = self._tagger is None
        if self._detector is None:
            return [self._split(each.figure, each.image) for each in ready if each.image is not None]
        found = self._detections(self._detector, ready)
        return [
            _detected(each.figure, each.size, of_it, words=words) for each, of_it in zip(ready, found, strict=True)
        ]

    def _detections(self, detector: Detector, ready: Sequence[Opened]) -> list[Detections]:
        if self._staged is None:
            return detector.detect([each.image for each in ready if each.image is not None])
        from prelabel.detectors.staged import by_canvas

        prepared = [each.prepared for each in ready if each.prepared is not None]
        found: dict[int, Detections] = {}
        for places in by_canvas(prepared):
            for place, one in zip(places, self._staged.predict([prepared[each] for each in places]), strict=True):
                found[place] = one
        return [found[place] for place in range(len(ready))]

    def _split(self, figure: Figure, image: Image.Image) -> _Boxed:
        explained = self._classic.explain(figure, image)
        found = explained.prediction
        if self._tagger is None:
            return _Boxed(figure, found.subfigures, found.scores)
        boxes = tuple(explained.split.scores[pair.place] for pair in explained.alignment.pairs)
        return _Boxed(figure, found.subfigures, boxes)

    def _device_of(self, recipe: Recipe) -> torch.device | None:
        seer = getattr(self._classic, "seer", None)
        detector = self._detector if seer is None else seer.detector
        device: torch.device | None = getattr(detector, "device", None)
        if device is None and (recipe.tagger is not None or recipe.classifier is not None):
            from prelabel.models.devices import choose_device

            return choose_device(recipe.device)
        return device

    def _version(self) -> str:
        if self._detector is None and self._tagger is None:
            parts = [self._classic.version]
        else:
            boxes = self._classic.version if self._detector is None else self._detector.version
            if self._detector is not None and self.recipe.threshold != THRESHOLD:
                boxes += f"@{self.recipe.threshold:g}"
            words = CLASSIC.version if self._tagger is None else self._tagger.version
            if self._tagger is not None and self.recipe.decode != CRF and self.recipe.decode not in words:
                words += f":{self.recipe.decode}"
            parts = [boxes, words]
        if self._classifier is not None:
            parts.append(self._classifier.version)
        return "+".join(parts)


def _open_detector(recipe: Recipe, warn: Callable[[str], None] | None) -> Detector | None:
    with_splitter, name = parts_of(recipe.detector)
    if with_splitter or name is None:
        return None
    from prelabel.runs.opening import open_detector

    return open_detector(
        name,
        device=recipe.device,
        threshold=recipe.threshold,
        batch=recipe.batch,
        amp=recipe.amp,
        warn=warn,
    )


def _staged(detector: Any) -> Staged | None:
    """Return the detector if it works in two steps."""
    return detector if hasattr(detector, "prepare") and hasattr(detector, "predict") else None


def _open_tagger(recipe: Recipe, warn: Callable[[str], None] | None) -> Tagger | None:
    if recipe.tagger is None:
        return None
    from prelabel.runs.opening import open_tagger

    return open_tagger(recipe.tagger, device=recipe.device, decode=recipe.decode, amp=recipe.amp, warn=warn)


def _open_classifier(recipe: Recipe) -> Classifier | None:
    if recipe.classifier is None:
        return None
    from prelabel.runs.opening import open_classifier

    opened: Classifier = open_classifier(recipe.classifier, device=recipe.device, amp=recipe.amp)
    return opened


def _detected(figure: Figure, size: tuple[int, int], found: Detections, *, words: bool) -> _Boxed:
    """Return the detector's boxes with the caption's labels. words: also assign words by the grammar."""
    sized = [each for each in boxes_in(figure, size, found) if min(each[0].width, each[0].height) >= LEAST_SIDE]
    if not sized:
        sized = [(Box(0.0, 0.0, float(figure.width), float(figure.height)), NOTHING_FOUND)]
    boxes, scores = (tuple(each) for each in zip(*sized, strict=True))
    parsed = parse_caption(figure.caption)
    alignment = align(Split(boxes, scores, (None,) * len(boxes)), parsed)
    subfigures = tuple(
        Subfigure(
            pair.label,
            boxes[pair.place],
            parsed.tokens[pair.source] if words and pair.source is not None else frozenset(),
        )
        for pair in alignment.pairs
    )
    sure = _sureness(parsed, alignment, len(boxes)) if words else 1.0
    return _Boxed(figure, subfigures, tuple(round(scores[pair.place] * sure, 4) for pair in alignment.pairs))


def boxes_in(figure: Figure, size: tuple[int, int], found: Detections) -> Iterator[tuple[Box, float]]:
    """Yield what was found in an image of this size, in pixels of the figure, with its score.

    Boxes without area in the figure are left out.
    """
    across, down = figure.width / size[0], figure.height / size[1]
    for (x0, y0, x1, y1), score in zip(found.boxes.tolist(), found.scores.tolist(), strict=True):
        try:
            box = Box(x0 * across, y0 * down, x1 * across, y1 * down).clamped(figure.width, figure.height)
        except InvalidAnnotation:
            continue
        yield box, min(1.0, max(0.0, score))


def _sureness(parsed: ParsedCaption, alignment: Alignment, boxes: int) -> float:
    """Return the probability that the grammar's words are right: lower if numbers of boxes and panels differ."""
    if not parsed.labels:
        return parsed.confidence
    fit = 1.0 if boxes == len(parsed.labels) and not alignment.unused else 0.6
    return parsed.confidence * fit


def _tagged(tagger: Tagger, boxed: Sequence[_Boxed]) -> list[_Boxed]:
    """Return the boxes with the tagger's words; a box's score is the product of both confidences."""
    asked = [each for each in boxed if each.figure.caption.ranges and each.subfigures]
    items = [CaptionedBoxes.of(each.figure, each.subfigures) for each in asked]
    found = dict(zip(map(id, asked), tagger.tag(items) if items else [], strict=True))
    result = []
    for each in boxed:
        tagged = found.get(id(each))
        if tagged is None:
            bare = tuple(replace(subfigure, subcaption=frozenset()) for subfigure in each.subfigures)
            result.append(_Boxed(each.figure, bare, each.scores))
            continue
        subfigures = tuple(
            replace(subfigure, subcaption=tokens)
            for subfigure, tokens in zip(each.subfigures, tagged.subcaptions, strict=True)
        )
        scores = tuple(
            round(min(1.0, max(0.0, box * words)), 4)
            for box, words in zip(each.scores, tagged.scores, strict=True)
        )
        result.append(_Boxed(each.figure, subfigures, scores))
    return result
