"""The systems that the table compares, run over the gold's figures, and the figures that they were trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PIL import Image

from agreement.primitives import Common, Mode
from panelwise.domain import AnnotatorError, Subfigure
from panelwise.files import Problems
from panelwise.runtime import counted
from prelabel.classic.prelabeller import CLASSIC
from prelabel.evaluation.cases import by_grammar
from prelabel.evaluation.paper_table.table import Column, FilterPoint, FoundBoxes, Inputs, KindsRow, System
from prelabel.models.protocols import CaptionedBoxes, Detections, Detector, Tagger
from prelabel.runs.figure_model import boxes_in
from prelabel.runs.predict import open_job, predict_all
from prelabel.taggers.spans import Order, chained_order, longest_spans, paired, row_order
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split
from prelabel.training.loop.options import began_random

if TYPE_CHECKING:
    from prelabel.models.checkpoints import About
    from prelabel.models.classifier import Kinds, TrainedClassifier


T = TypeVar("T")
#: Wraps long work, as a progress bar does; called with the items, what is done, and how many there will be.
Watch = Callable[[Iterable[Any], str, int | None], Iterator[Any]]
#: Figure id -> its boxes with their text.
Answers = dict[str, Sequence[Subfigure]]

#: Figures that a model is given at a time.
BATCH = 16
#: Boxes below this score are irrelevant to a detector's precision; torchvision's own limit.
LEAST_SCORE = 0.05
#: Display names of the weight-free pre-labeller's boxes and text.
SPLITTER, GRAMMAR = "splitter", "caption grammar"

#: F1 of validation and test in the paper's Table 2 (percent there), and the mAP of its detector on test.
PAPER_ORACLES = (0.880, 0.908)
PAPER_SINGLE_SPANS = (0.781, 0.755)
PAPER_TAGGERS: Mapping[tuple[str, bool, Inputs], tuple[float, float]] = {
    ("text-crf", True, Inputs.GOLD): (0.478, 0.433),
    ("text-crf", False, Inputs.GOLD): (0.710, 0.669),
    ("box-crf", False, Inputs.GOLD): (0.741, 0.719),
    ("text-crf", True, Inputs.PREDICTED): (0.447, 0.403),
    ("text-crf", False, Inputs.PREDICTED): (0.664, 0.613),
    ("box-crf", False, Inputs.PREDICTED): (0.699, 0.675),
}
PAPER_AP = 0.793
#: Width and layers of the paper's encoder.
PAPER_ENCODER = (768, 12)
#: The order of boxes.
_ORDERS = {Mode.PAPER: row_order, Mode.OFFICIAL: chained_order}


@dataclass(frozen=True, slots=True)
class NamedTagger:
    """A trained tagger. kind: "text-crf" or "box-crf". untrained: its encoder began from random weights.

    common: whose common tokens were left out of what it learnt; the paper's are GOLD's. sized: whether its encoder
    is of the size of the paper's.
    """

    kind: str
    tagger: Tagger
    untrained: bool = False
    common: Common = Common.GOLD
    sized: bool = True

    @property
    def name(self) -> str:
        """Display name."""
        if self.untrained:
            name = {"text-crf": "text CRF, random init", "box-crf": "text+box CRF, random"}[self.kind]
        else:
            name = {"text-crf": "text CRF + heuristic", "box-crf": "text+box CRF"}[self.kind]
        return name if self.common is Common.GOLD else f"{name}, all"

    def paper(self, inputs: Inputs) -> tuple[float, float] | None:
        """Return the paper's numbers for a model of this kind, size and training."""
        if self.common is not Common.GOLD or not self.sized:
            return None
        return PAPER_TAGGERS.get((self.kind, self.untrained, inputs))


def named_tagger(about: About, tagger: Any, mode: Mode) -> NamedTagger:
    """Return a trained tagger, a `TextTagger` or `BoxTagger`, as a system of the table.

    mode: gives a text-crf's spans to boxes in the order of the paper or its code.
    """
    if about.kind == "text-crf":
        tagger.order = _ORDERS[mode]
    other = about.settings.get("other")
    # A checkpoint of before the option learnt all tokens.
    common = Common(other.get("common", Common.NONE)) if isinstance(other, Mapping) else Common.NONE
    sized = tagger.module.encoder.size == PAPER_ENCODER
    return NamedTagger(about.kind, tagger, began_random(about), common, sized)


def oracles(examples: Sequence[Example], mode: Mode = Mode.PAPER) -> list[System]:
    """Return the gold's own text with one step done as a model does it; needs neither weights nor images.

    mode: gives subcaptions to boxes in the order of the paper or its code.
    """
    return [
        System(
            key,
            name,
            Inputs.ORACLE,
            {example.figure.id: way(captioned(example.subfigures), _ORDERS[mode]) for example in examples},
            paper=at,
        )
        for key, name, way, at in (
            ("oracle_heuristic", "oracles + heuristic", by_heuristic, PAPER_ORACLES),
            ("oracle_single_span", "single-span oracles", single_spans, None),
            ("oracle_single_span_heuristic", "  + heuristic", single_spans_by_heuristic, PAPER_SINGLE_SPANS),
        )
    ]


def on_gold(examples: Sequence[Example], taggers: Sequence[NamedTagger], watch: Watch) -> list[System]:
    """Run each tagger, and the caption's grammar, on the gold's boxes that have a subcaption."""
    boxes = {example.figure.id: captioned(example.subfigures) for example in examples}
    return list(_worded(examples, boxes, taggers, Inputs.GOLD, "", watch))


def on_found(
    examples: Sequence[Example],
    found: FoundBoxes,
    taggers: Sequence[NamedTagger],
    watch: Watch,
    *,
    grammar: bool = True,
) -> list[System]:
    """Run them on detected boxes; a figure without any gets no words, as in the authors' code.

    grammar: include the caption's grammar.
    """
    boxes = {example.figure.id: found.chosen(example.figure.id) for example in examples}
    systems = list(_worded(examples, boxes, taggers, Inputs.PREDICTED, found.version, watch))
    return systems if grammar else systems[:-1]


def split(
    examples: Sequence[Example], problems: Problems, watch: Watch, *, processes: int | None = None
) -> tuple[System, FoundBoxes]:
    """Run the weight-free pre-labeller, and return its boxes too; an unreadable figure is a problem."""
    jobs = ((example.figure, example.image) for example in examples)
    work = predict_all(jobs, problems, model=CLASSIC, processes=processes)
    answers: Answers = {}
    boxes: dict[str, Sequence[tuple[Subfigure, float]]] = {}
    for each in watch(work, "pre-labelling", len(examples)):
        answers[each.figure.id] = each.subfigures
        boxes[each.figure.id] = list(zip(each.subfigures, each.scores, strict=True))
    version = CLASSIC.version
    whole = System("prelabeller", "pre-labeller, no weights", Inputs.PREDICTED, answers, version, version)
    return whole, FoundBoxes(version, SPLITTER, boxes)


def detected(
    examples: Sequence[Example],
    detector: Detector,
    problems: Problems,
    watch: Watch,
    *,
    threshold: float,
    name: str = "detector",
    paper: bool = True,
) -> FoundBoxes:
    """Run a detector on every figure; an unreadable image is a problem, and the others continue.

    detector: returns boxes from `LEAST_SCORE` on. threshold: least score of a box that gets text. paper: whether
    it is the paper's, whose average precision then stands beside its own.
    """
    boxes: dict[str, Sequence[tuple[Subfigure, float]]] = {}
    readable = images_of(watch(examples, "finding boxes", len(examples)), problems)
    while batch := list(islice(readable, BATCH)):
        found = detector.detect([image for _, image in batch])
        for (example, image), own in zip(batch, found, strict=True):
            boxes[example.figure.id] = _in_figure(example, image.size, own)
    return FoundBoxes(detector.version, name, boxes, alignment=threshold, paper=PAPER_AP if paper else None)


def unread(examples: Sequence[Example], found: Iterable[FoundBoxes]) -> set[str]:
    """Return the figures without detected boxes: their images could not be read."""
    return {example.figure.id for example in examples for one in found if example.figure.id not in one.boxes}


def _worded(
    examples: Sequence[Example],
    boxes: Mapping[str, Sequence[Subfigure]],
    taggers: Sequence[NamedTagger],
    given: Inputs,
    version: str,
    watch: Watch,
) -> Iterator[System]:
    """Yield a system for each tagger and, last, for the grammar, on these boxes."""
    names, kinds = [named.name for named in taggers], [named.kind for named in taggers]
    part = "gold" if given is Inputs.GOLD else "found"
    for place, named in enumerate(taggers):
        same, before = names[:place].count(named.name), kinds[:place].count(named.kind)
        suffix = "" if names.count(named.name) == 1 else f" ({same + 1})"
        answers = _tagged(examples, boxes, named.tagger, watch, f"{named.name}{suffix}")
        key = f"{named.kind.replace('-', '_')}_{part}" + (f"_{before + 1}" if before else "")
        own = named.tagger.version
        yield System(key, f"{named.name}{suffix}", given, answers, own, version, named.paper(given))
    grammar = {
        example.figure.id: by_grammar(example.figure.caption, boxes[example.figure.id]) for example in examples
    }
    yield System(f"grammar_{part}", f"{GRAMMAR}, no weights", given, grammar, CLASSIC.version, version)


def _tagged(
    examples: Sequence[Example],
    boxes: Mapping[str, Sequence[Subfigure]],
    tagger: Tagger,
    watch: Watch,
    name: str,
) -> Answers:
    answers: Answers = {example.figure.id: _bare(boxes[example.figure.id]) for example in examples}
    asked = [example for example in examples if example.figure.caption.ranges and answers[example.figure.id]]
    batches = [asked[start : start + BATCH] for start in range(0, len(asked), BATCH)]
    for batch in watch(batches, name, len(batches)):
        items = [CaptionedBoxes.of(each.figure, answers[each.figure.id]) for each in batch]
        for each, tagged in zip(batch, tagger.tag(items), strict=True):
            answers[each.figure.id] = tuple(
                replace(part, subcaption=tokens)
                for part, tokens in zip(answers[each.figure.id], tagged.subcaptions, strict=True)
            )
    return answers


def images_of(examples: Iterable[Example], problems: Problems) -> Iterator[tuple[Example, Image.Image]]:
    """Yield the examples with their decoded images; an unreadable one is a problem and left out."""
    for example in examples:
        opened = open_job((example.figure, example.image))
        if isinstance(opened, str):
            problems.add(opened)
        else:
            yield example, opened[1]


def _in_figure(example: Example, size: tuple[int, int], found: Detections) -> list[tuple[Subfigure, float]]:
    """Return boxes in pixels of the figure, for any image size; those without area in it are dropped."""
    return [
        (Subfigure(str(place), box), score)
        for place, (box, score) in enumerate(boxes_in(example.figure, size, found), start=1)
    ]


def _bare(boxes: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    return tuple(replace(box, subcaption=frozenset()) for box in boxes)


# Upper bounds of kinds of models: the gold's own subcaptions, with one step done as the model does it.


def captioned(subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """Return the subfigures with a subcaption: the paper's gold subfigures."""
    return tuple(subfigure for subfigure in subfigures if subfigure.subcaption)


def by_heuristic(subfigures: Sequence[Subfigure], order: Order = row_order) -> tuple[Subfigure, ...]:
    """Assign the gold subcaptions, in the caption's order, to the boxes in reading order (appendix C)."""
    return _handed_out(subfigures, [subfigure.subcaption for subfigure in subfigures], order)


def single_spans(subfigures: Sequence[Subfigure], _order: Order = row_order) -> tuple[Subfigure, ...]:
    """Give each box the one span that a tagger of disjoint spans could learn; none if all are used."""
    return tuple(
        replace(subfigure, subcaption=tokens)
        for subfigure, tokens in zip(subfigures, _spans(subfigures), strict=True)
    )


def single_spans_by_heuristic(subfigures: Sequence[Subfigure], order: Order = row_order) -> tuple[Subfigure, ...]:
    """Combine both: these spans, assigned in reading order: the upper bound of text CRF + heuristic."""
    return _handed_out(subfigures, [tokens for tokens in _spans(subfigures) if tokens], order)


def _spans(subfigures: Sequence[Subfigure]) -> list[frozenset[int]]:
    found = longest_spans([subfigure.subcaption for subfigure in subfigures])
    return [frozenset() if span is None else frozenset(range(*span)) for span in found]


def _handed_out(
    subfigures: Sequence[Subfigure], subcaptions: Sequence[frozenset[int]], order: Order
) -> tuple[Subfigure, ...]:
    """Order subcaptions that begin with the same words by what follows."""
    boxes = [subfigure.box for subfigure in subfigures]
    given = paired(boxes, sorted(subcaptions, key=sorted), frozenset[int](), order=order)
    return tuple(replace(subfigure, subcaption=own) for subfigure, own in zip(subfigures, given, strict=True))


#: Up to this many of the likeliest types; the paper's filter looks at 4.
_TOPS = 8


def kinds_row(
    examples: Sequence[Example],
    model: TrainedClassifier,
    columns: Sequence[Column],
    problems: Problems,
    watch: Watch,
    selected: Sequence[str] = (),
) -> KindsRow:
    """Score a classifier (see `prelabel.training.tasks.classifier`) on figures of known kind.

    An unreadable image is a problem and left out. selected: types to keep, as `prelabel classify` has.
    """
    from prelabel.training.tasks.classifier import labelled_kind, scores_of

    found: dict[str, Kinds] = {}
    readable = images_of(watch(examples, "classifying", len(examples)), problems)
    while batch := list(islice(readable, BATCH)):
        kinds = model.kinds([image for _, image in batch])
        found.update({example.figure.id: one for (example, _), one in zip(batch, kinds, strict=True)})
    scores: dict[Column, Mapping[str, float]] = {}
    kept: dict[Column, Sequence[FilterPoint]] = {}
    for column in columns:
        told = [each for each in examples if column.has(each.split) and each.figure.id in found]
        labels, kinds = [labelled_kind(each) for each in told], [found[each.figure.id] for each in told]
        scores[column] = scores_of(model.answers, labels, kinds)
        typed = [
            (frozenset(selected) & one.types, other) for one, other in zip(labels, kinds, strict=True) if one.types
        ]
        if selected:
            kept[column] = [
                _filter_point(typed, selected, top) for top in range(1, min(_TOPS, len(model.answers.types)) + 1)
            ]
    return KindsRow(model.version, scores, kept)


def _filter_point(typed: Sequence[tuple[frozenset[str], Kinds]], selected: Sequence[str], top: int) -> FilterPoint:
    """typed: of each figure of known type those of its types that are selected, and its predicted kinds."""
    chosen = [bool(own) for own, kinds in typed if kinds.keeps(selected, top=top)]
    relevant = sum(bool(own) for own, _ in typed)
    right = sum(chosen)
    return FilterPoint(
        top, len(chosen), right / len(chosen) if chosen else None, right / relevant if relevant else None
    )


def checkpoints_of(folders: Iterable[str | Path]) -> list[About]:
    """Return the metadata of those that are checkpoints, each once; models by name have none."""
    from prelabel.models.checkpoints import is_checkpoint, read_about

    found = [read_about(Path(folder)) for folder in folders if is_checkpoint(folder)]
    return list({about.version: about for about in found}.values())


def models_seen(
    folders: Sequence[str | Path], examples: Sequence[Example], columns: Sequence[Column], *, force: bool
) -> tuple[dict[str, Mapping[Column, int]], list[str]]:
    """Return how many scored figures each model was trained on, by its version, and notes for the reader.

    folders: of models; names of others say nothing of their training. Raises AnnotatorError for a model that was
    trained on any, unless `force` is set.
    """
    seen: dict[str, Mapping[Column, int]] = {}
    notes: list[str] = []
    if not folders:
        return seen, notes
    from prelabel.models.checkpoints import CONFIG, About, find_checkpoint, is_checkpoint, read_about

    for folder in folders:
        about = read_about(Path(folder)) if is_checkpoint(folder) else About("", str(folder), {})
        if not about.splits:
            notes.append(f"{about.version} does not say what it was trained on; it may be figures scored here")
        elif found := _seen_figures(about, examples, columns):
            text = _seen_text(about.version, found)
            if not force:
                raise AnnotatorError(
                    f"{text}; score it on other figures, such as with --split-keys "
                    f"{find_checkpoint(Path(folder)) / CONFIG}, or on these all the same with --force"
                )
            seen[about.version] = found
            notes.append(f"* {text}")
    return seen, notes


def _seen_figures(about: About, examples: Sequence[Example], columns: Sequence[Column]) -> dict[Column, int]:
    """Return how many figures of each column a model was trained on; columns without any are left out.

    Figures that it was validated with, by which its epoch was chosen, count too, but not in the validation column.
    """
    learnt, chosen = (frozenset(about.splits.get(split, ())) for split in (Split.TRAIN, Split.VAL))
    found = {
        column: sum(
            column.has(example.split)
            and example.figure.id in (learnt if column is Column.VAL else learnt | chosen)
            for example in examples
        )
        for column in columns
    }
    return {column: number for column, number in found.items() if number}


def _seen_text(version: str, seen: Mapping[Column, int]) -> str:
    """Describe it, as "box-crf-1f3a9c02 was trained on 12 figures of test"."""
    parts = (f"{counted(number, 'figure')} of {column.shown}" for column, number in seen.items())
    return f"{version} was trained or validated on {', '.join(parts)}"
