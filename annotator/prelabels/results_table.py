"""The table of results on any gold: oracles, trained models, and what needs no weights, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agreement.primitives import RESAMPLES, Common, Mode
from annotator.imports.exports_of_others import read_any
from annotator.measurement.sources import layout_of, reading_for
from annotator.prelabels.classify import type_filter
from annotator.prelabels.evaluate import Watch, unwatched
from annotator.prelabels.train import Material, examples_of, shares
from panelwise.domain import Annotation, AnnotatorError, Figure, Status, Subfigure
from panelwise.files import Problems
from panelwise.formats import rebased
from panelwise.runtime import counted
from prelabel.evaluation import (
    LEAST_SCORE,
    Column,
    FoundBoxes,
    KindsRow,
    NamedTagger,
    Scoring,
    System,
    Table,
    checkpoints_of,
    detected,
    kinds_row,
    models_seen,
    named_tagger,
    on_found,
    on_gold,
    oracles,
    split,
    table_of,
    unread,
)
from prelabel.models import THRESHOLD
from prelabel.runs import need_models, open_classifier, open_detector, open_tagger
from prelabel.training import Example, began_random

#: The default of the scored figures: as in the paper.
COLUMNS = (Column.VAL, Column.TEST)


@dataclass(frozen=True, slots=True)
class Models:
    """The trained models that get rows. detector: a folder, or a name; None: the splitter's boxes stand in.

    threshold: from which score a box of the detector is given words. decode: how a box tagger chooses words.
    classifier: of figures' kinds. keep: types that it is to keep. force: score a model on figures that it was
    trained on too.
    """

    text_crf: tuple[Path, ...] = ()
    box_crf: tuple[Path, ...] = ()
    detector: str | None = None
    threshold: float = THRESHOLD
    decode: str = "crf"
    device: str = "auto"
    classifier: Path | None = None
    keep: tuple[str, ...] = ()
    force: bool = False


@dataclass(frozen=True, slots=True)
class Scores:
    """Options of the results table and its scores.

    others: annotations of the figures by other people, scored beside the gold. mode: of the metric, and of the
    order in which text-crf's spans are given to boxes. common: on which side tokens common to all subcaptions are
    left out. processes: of the splitter; None: one per core. resamples, seed: of the
    bootstrap.
    """

    others: Path | None = None
    columns: Sequence[Column] = COLUMNS
    mode: Mode = Mode.PAPER
    common: Common = Common.NONE
    processes: int | None = None
    resamples: int = RESAMPLES
    seed: int = 0


def table_source(
    material: Material,
    problems: Problems,
    *,
    models: Models = Models(),
    scores: Scores = Scores(),
    warn: Callable[[str], None] | None = None,
    watch: Watch = unwatched,
) -> Table:
    """Score the models, and the systems that need none, on some gold.

    warn: called about models trained by another version.

    Where no image is at hand and no detector is named, only rows on the gold's boxes are made. A figure whose
    image cannot be read is a problem, and left out of every row. Raises AnnotatorError if a source or model
    cannot be read at all, nothing is in the columns asked for, or a model was trained on figures in them.
    """
    columns = scores.columns
    every = examples_of(material, problems)
    examples = [each for each in every if any(column.has(each.split) for column in columns)]
    if not examples:
        names = " or ".join(each.value for each in columns)
        raise AnnotatorError(f"no figure of the gold is in {names}; name other columns with --column, such as all")
    texted = any(example.texted for example in examples)
    if not texted and models.classifier is None:
        raise AnnotatorError("no subfigure of these figures has a subcaption; there is nothing to score words by")
    folders: list[str | Path] = [*models.text_crf, *models.box_crf]
    folders += [each for each in (models.detector, models.classifier) if each is not None]
    if folders:
        need_models("a table with models")
    seen, notes = models_seen(folders, examples, columns, force=models.force)
    abouts = checkpoints_of(folders)
    kinds: list[KindsRow] = []
    if models.classifier is not None:
        classifier = open_classifier(models.classifier, device=models.device, warn=warn)
        wanted = type_filter(classifier, models.keep, top=1, compound=None).types
        kinds.append(kinds_row(examples, classifier, columns, problems, watch, wanted))
    if not texted:
        return table_of(
            examples,
            [],
            columns=columns,
            resamples=scores.resamples,
            seed=scores.seed,
            notes=notes,
            scoring=Scoring(mode=scores.mode),
            kinds=kinds,
            seen=seen,
            models=abouts,
        )
    taggers = _taggers(models, scores.mode, warn)
    if gold := shares(examples):
        notes.insert(0, f"gold: {gold}")
    found: list[FoundBoxes] = []
    whole: System | None = None
    if models.detector is not None:
        detector = open_detector(models.detector, device=models.device, threshold=LEAST_SCORE)
        about = next((each for each in abouts if each.kind == "detector"), None)
        random = about is not None and began_random(about)
        papers = about is not None and about.architecture.get("name") == "resnet50" and not random
        boxes = detected(
            examples,
            detector,
            problems,
            watch,
            threshold=models.threshold,
            name="detector, random init" if random else "detector",
            paper=papers,
        )
        found.append(boxes)
        examples = _without(examples, found)
        if empty := sum(not boxes.chosen(example.figure.id) for example in examples):
            notes.append(
                f"{counted(empty, 'figure')} without a detected box: their subfigures score 0, as in the authors' "
                "code; `prelabel run` gives such a figure one box over all of it"
            )
    if models.detector is not None or any(example.image.is_file() for example in examples):
        whole, boxes = split(examples, problems, watch, processes=scores.processes)
        found.append(boxes)
        examples = _without(examples, found)
    else:
        notes.append("no image is at hand, so no boxes could be predicted; name their folder with --images")
    systems = [*oracles(examples, scores.mode), *on_gold(examples, taggers, watch)]
    if found:
        # The grammar on the splitter's boxes is the pre-labeller itself.
        systems += on_found(examples, found[0], taggers, watch, grammar=models.detector is not None)
    return table_of(
        examples,
        [*systems, *([] if whole is None else [whole])],
        found,
        columns=columns,
        scoring=Scoring(scores.common, scores.mode, _others(scores.others, examples, problems)),
        resamples=scores.resamples,
        seed=scores.seed,
        notes=notes,
        kinds=kinds,
        seen=seen,
        models=abouts,
    )


def _taggers(models: Models, mode: Mode, warn: Callable[[str], None] | None) -> list[NamedTagger]:
    taggers: list[NamedTagger] = []
    if not (models.text_crf or models.box_crf):
        return taggers
    from prelabel.models import read_about

    for kind, folders in (("text-crf", models.text_crf), ("box-crf", models.box_crf)):
        for folder in folders:
            about = read_about(folder, kind=kind, warn=warn)
            # The paper has the best single span of taggers that see the boxes only.
            decode = models.decode if kind == "box-crf" else "crf"
            taggers.append(named_tagger(about, open_tagger(folder, device=models.device, decode=decode), mode))
    return taggers


def _without(examples: Sequence[Example], found: Sequence[FoundBoxes]) -> list[Example]:
    """Return the figures for which all of `found` have an answer. Raises AnnotatorError if none is left."""
    lost = unread(examples, found)
    kept = [example for example in examples if example.figure.id not in lost]
    if not kept:
        raise AnnotatorError(
            f"none of {counted(len(examples), 'image')} could be read; name their folder with --images"
        )
    return kept


def _others(
    path: Path | None, examples: Sequence[Example], problems: Problems
) -> dict[str, list[tuple[Subfigure, ...]]]:
    """Other people's accepted work on the figures, in the gold's tokens."""
    found: dict[str, list[tuple[Subfigure, ...]]] = {}
    if path is None:
        return found
    figures = {example.figure.id: example.figure for example in examples}
    for figure_id, subfigures in _rebased(path, figures, problems):
        found.setdefault(figure_id, []).append(subfigures)
    return found


def _rebased(
    path: Path, figures: Mapping[str, Figure], problems: Problems
) -> Iterator[tuple[str, tuple[Subfigure, ...]]]:
    for each in read_any(layout_of(path), path, problems, reading_for(figures.values())):
        if each.figure.id not in figures or not isinstance(each, Annotation):
            continue
        if each.status is not Status.ACCEPTED:
            continue
        try:
            yield each.figure.id, rebased(each, figures[each.figure.id]).subfigures
        except AnnotatorError as error:
            problems.add(f"{path}: {error}")
