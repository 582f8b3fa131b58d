"""A pre-labeller scored against gold in files or in a campaign, and the editing work that predictions leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from agreement.pairs import latest
from agreement.primitives import RESAMPLES, Mode
from annotator.campaign.home import Home
from annotator.consensus.one_revision import on_one_revision
from annotator.measurement.sources import (
    People,
    StoredFigures,
    chosen_work,
    decisions_at,
    is_home,
    one_phase,
    read_people,
    read_source,
    reading_for,
    work_at,
)
from annotator.prelabels.train import Material, examples_of
from panelwise.domain import Annotation, AnnotatorError, Figure, FormatError, Status, Subfigure
from panelwise.files import Fields, Problems, image_path, read_lines
from panelwise.formats import PLAINLY, FigureRecord, Reading, image_folder, read_caption, read_figures, rebased
from panelwise.runtime import first_of, record_fault
from prelabel.captions import parse_caption
from prelabel.effort import KEEP, OPERATORS, Effort, Operators, Pair, effort
from prelabel.evaluation import (
    Case,
    Column,
    Evaluation,
    LabelledCaption,
    LabelOutcome,
    Matching,
    Run,
    evaluate,
    models_seen,
    recall_at,
)
from prelabel.runs import Engine, FigureModel, Job, Recipe, default_detector, engine_of, need_models
from prelabel.training import Split, of_split, with_captions

T = TypeVar("T")
#: Wraps long work, as a progress bar does; called with the items, what is done, and how many there will be.
Watch = Callable[[Iterable[Any], str, int | None], Iterator[Any]]


def unwatched(items: Iterable[T], _label: str, _total: int | None) -> Iterator[T]:
    """The items as they come."""
    yield from items


@dataclass(frozen=True, slots=True)
class Apart:
    """The articles kept apart. names: as in `source.document`, or how that ends. least: besides, so many of
    the gold's, those whose names have the least SHA-256: a choice independent of their content.
    """

    names: tuple[str, ...] = ()
    least: int = 0

    def among(self, documents: Iterable[str]) -> frozenset[str]:
        """Return those of `documents` that are kept apart. Raises AnnotatorError for an unknown name."""
        every = sorted(set(documents))
        found = set(sorted(every, key=lambda name: sha256(name.encode()).hexdigest())[: self.least])
        for name in self.names:
            alike = [document for document in every if document == name or document.endswith(f"/{name}")]
            if not alike:
                raise AnnotatorError(
                    f'no figure of the gold is of article "{name}"; name one of `source.document`'
                )
            found.update(alike)
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class GoldFiles:
    """The files with gold. annotator, phase: which to read, if `path` holds several.

    figures: names the images and articles of its figures, which of a campaign's home need not be.
    """

    path: Path
    annotator: str | None = None
    phase: str | None = None
    figures: Path | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """Options of intervals: resamples of articles. seed: of these."""

    apart: Apart = Apart()
    resamples: int = RESAMPLES
    seed: int = 0


def evaluate_source(
    gold: GoldFiles,
    problems: Problems,
    *,
    images: Path | None = None,
    predictions: Path | None = None,
    reading: Reading = PLAINLY,
    captions: Path | None = None,
    people: People | None = None,
    drawing: Drawing = Drawing(),
    processes: int | None = None,
    engine: Engine | None = None,
    grammar: bool = True,
    warn: Callable[[str], None] | None = None,
    watch: Watch = unwatched,
) -> Evaluation:
    """Score a pre-labeller, or the one that made `predictions`, against the accepted figures of `gold`.

    engine: makes the predictions; by default that of `default_detector`. grammar: whether its words are those of
    the caption grammar, which is then scored on all labels of a caption.
    images: the folder that the paths of its figures' images start from, default that of the file of figures.
    predictions: a file of one model's, read by `reading`; figures are then looked up for their articles only.
    captions: a file of captions whose labels are known. people: annotators whose agreement stands beside the
    score. Raises AnnotatorError if a source cannot be read at all.
    """
    ours = _gold(gold, problems, warn)
    records = {} if gold.figures is None else _records(gold.figures, problems, set(ours))
    documents = _documents(ours, records)
    if predictions is None:
        if gold.figures is not None:
            jobs = _jobs(ours, records, images or image_folder(gold.figures), problems)
        elif is_home(gold.path):
            jobs = _stored(ours, Home.find(gold.path), problems)
        else:
            raise AnnotatorError(
                f"{gold.path}: names no images; name figures.jsonl with --figures, or give --predictions"
            )
        chosen = engine or engine_of(FigureModel(Recipe(default_detector()), warn=warn), processes)
        model = chosen.version
        work = chain.from_iterable(chosen.run(jobs, problems))
        made = {each.figure.id: each for each in watch(work, "pre-labelling", len(ours))}
        found = {name: each.subfigures for name, each in made.items()}
        scores = {name: each.scores for name, each in made.items()}
    else:
        model, found = _predicted(predictions, problems, ours, warn, reading)
        scores = {}
    own = predictions is None and grammar
    cases = [
        Case(
            each,
            found[name],
            _texts(each.figure, found[name], own=own),
            documents[name],
            pairs=own,
            scores=scores.get(name),
        )
        for name, each in ours.items()
        if name in found
    ]
    return evaluate(
        cases,
        model=model,
        captions=() if captions is None else list(_labelled(captions, problems, watch)),
        missing=sorted(set(ours) - set(found)),
        apart=drawing.apart.among(documents.values()),
        people=None if people is None else read_people(people, problems, Mode.PAPER, warn),
        resamples=drawing.resamples,
        seed=drawing.seed,
    )


def effort_of_sources(
    gold: GoldFiles,
    predicted: Path,
    problems: Problems,
    *,
    annotator: str | None = None,
    reading: Reading = PLAINLY,
    keep: float = KEEP,
    operators: Operators = OPERATORS,
    drawing: Drawing = Drawing(),
    warn: Callable[[str], None] | None = None,
) -> Effort:
    """The editing work from what is `predicted` to the accepted figures of `gold`.

    annotator: whose work to take of `predicted`; needed where it holds that of several. Intervals
    are drawn by the articles that gold.figures names; without it each figure is one of its own. A gold figure
    without a prediction is done from nothing. Raises AnnotatorError if a source cannot be read at all.
    """
    ours = _gold(gold, problems, warn)
    records = {} if gold.figures is None else _records(gold.figures, problems, set(ours))
    documents = _documents(ours, records)
    _, found = _predicted(predicted, problems, ours, warn, reading, annotator=annotator)
    pairs = [Pair(each.figure, each.subfigures, found.get(name), documents[name]) for name, each in ours.items()]
    return effort(
        pairs,
        keep=keep,
        operators=operators,
        apart=drawing.apart.among(documents.values()),
        resamples=drawing.resamples,
        seed=drawing.seed,
    )


def _gold(gold: GoldFiles, problems: Problems, warn: Callable[[str], None] | None) -> dict[str, Annotation]:
    """The gold of each accepted figure, one annotator's in one phase; of a home the reviewers' decisions."""
    known = StoredFigures()
    path = gold.path
    source = read_source(path, problems, partial(decisions_at, stored=known), Mode.PAPER, warn)
    work = chosen_work(source, gold.annotator, gold.phase, str(path), known, prefix="--gold-")
    chosen = on_one_revision(work, {}, warn)
    one_phase(chosen, str(path), "--gold-phase")
    names = sorted({each.annotator for each in chosen})
    if len(names) > 1:
        raise AnnotatorError(f"{path}: gold by {first_of(names)}; choose one with --gold-annotator")
    kept, _ = latest(chosen)
    found = {each.figure.id: each for each in kept if isinstance(each, Annotation) and _accepted(each)}
    if not found:
        raise AnnotatorError(f"{path}: holds no accepted figure to compare with")
    return found


def _accepted(work: Annotation) -> bool:
    return work.status is Status.ACCEPTED


def _predicted(
    path: Path,
    problems: Problems,
    gold: Mapping[str, Annotation],
    warn: Callable[[str], None] | None,
    reading: Reading,
    *,
    annotator: str | None = None,
) -> tuple[str, dict[str, tuple[Subfigure, ...]]]:
    """Whose predictions they are, and those of the gold's figures, with the gold's tokens."""
    present: dict[str, int] = {}
    known = StoredFigures()
    into = partial(work_at, present=present, stored=known, warn=warn)
    source = read_source(
        path, problems, into, Mode.PAPER, warn, reading_for((each.figure for each in gold.values()), reading)
    )
    work = on_one_revision(chosen_work(source, annotator, None, str(path), known), present, warn)
    names = sorted({each.annotator for each in work})
    if len(names) > 1:
        raise AnnotatorError(f"{path}: work by {first_of(names)}; choose one with --annotator")
    found: dict[str, tuple[Subfigure, ...]] = {}
    kept, _ = latest(work)
    for each in kept:
        if each.figure.id not in gold or not isinstance(each, Annotation) or not _accepted(each):
            continue
        try:
            found[each.figure.id] = rebased(each, gold[each.figure.id].figure).subfigures
        except AnnotatorError as error:
            problems.add(f"{path}: {error}")
    return (names[0] if names else str(path)), found


def _records(path: Path, problems: Problems, wanted: set[str]) -> dict[str, FigureRecord]:
    return {each.figure_id: each for each in read_figures(path, problems) if each.figure_id in wanted}


def _documents(gold: Mapping[str, Annotation], records: Mapping[str, FigureRecord]) -> dict[str, str]:
    """Return the article of each figure; a figure of unknown article is one of its own."""
    return {
        name: (records[name].document if name in records else "") or each.figure.document or f"figure {name}"
        for name, each in gold.items()
    }


def _jobs(
    gold: Mapping[str, Annotation], records: Mapping[str, FigureRecord], images: Path, problems: Problems
) -> Iterator[Job]:
    for name, each in gold.items():
        if name not in records:
            problems.add(f'figure "{name}": is not among the figures; add its record, or leave it out of the gold')
            continue
        image = records[name].image
        yield replace(each.figure, image=image), image_path(images, image)


def _stored(gold: Mapping[str, Annotation], home: Home, problems: Problems) -> Iterator[Job]:
    for each in gold.values():
        try:
            yield each.figure, home.image_path(each.figure)
        except AnnotatorError as error:
            problems.add(error)


def _texts(figure: Figure, predicted: Sequence[Subfigure], *, own: bool) -> Mapping[str, frozenset[int]]:
    """The tokens of each label: as the caption parser gives them, or as the predictions do."""
    if own:
        return parse_caption(figure.caption).tokens
    found: dict[str, frozenset[int]] = {}
    for each in predicted:
        found[each.label] = found.get(each.label, frozenset()) | each.subcaption
    return found


def _labelled(path: Path, problems: Problems, watch: Watch) -> Iterator[LabelOutcome]:
    """The captions of a file whose `panel_labels` run without gaps, or are not said not to, with what is found."""
    for line in watch(read_lines(path, problems), "reading captions", None):
        fields = Fields(line.where, line.record)
        try:
            if not line.record.get("panel_labels") or not fields.flag("labels_contiguous", default=True):
                continue
            labels = line.record["panel_labels"]
            if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
                raise fields.error("panel_labels", "is no list of texts; give the labels in order")
            caption = read_caption(fields)
            article = fields.optional_text("doi") or fields.optional_text("document")
            known = LabelledCaption(fields.text("caption_id"), caption.text, tuple(labels), article)
            found = parse_caption(caption).labels
        except FormatError as error:
            problems.add(error)
            continue
        except Exception as error:
            problems.add(f"{line.where}: the caption is not read ({record_fault(error)}); report it")
            continue
        yield LabelOutcome(known, found)


#: Images compared with a caption at a time.
_BATCH = 64


def evaluate_matching(
    material: Material,
    folders: Sequence[Path],
    problems: Problems,
    *,
    pairs: int,
    seed: int = 0,
    device: str = "auto",
    force: bool = False,
    watch: Watch = unwatched,
) -> Matching:
    """Rank the test's images for each of its captions, by each matcher; references are not looked at.

    pairs: figures drawn at random from the test, all if there are no more. force: score a matcher on figures that
    it was trained on, with a note. Raises AnnotatorError, one line, if there are fewer than two figures, a folder
    holds no matcher, or one was trained on figures of the test.
    """
    need_models("scoring matchers")
    from prelabel.matchers import Text, matcher_of, score_matrix
    from prelabel.models import read_about
    from prelabel.training import features_of, image_cache, trained_as_in_the_paper

    every = with_captions(of_split(examples_of(material, problems, plain=True), Split.TEST), problems)
    _, notes = models_seen(folders, every, [Column.TEST], force=force)
    there = [each for each in every if each.image.is_file()]
    for lost in (each for each in every if not each.image.is_file()):
        problems.add(f'figure "{lost.figure.id}": {lost.image}: no such image; left it out')
    places = sorted(np.random.default_rng(seed).permutation(len(there))[:pairs].tolist())
    examples = [there[place] for place in places]
    runs: list[Run] = []
    for folder in folders:
        module = matcher_of(folder, device=device)
        # Images that can't be read are left out, and named, once.
        examples, features = features_of(module, examples, image_cache(module, problems), workers=2)
        if len(examples) < 2:
            raise FormatError(
                f"{material.gold}: {len(examples)} figures of the test have a caption and an image, and two are "
                "needed to tell apart; give figures of more articles"
            )
        captions = [Text(example.figure.caption.text) for example in examples]
        scored = score_matrix(module, captions, features, batch=_BATCH)
        # Images that score the same as the right one are ranked before it.
        ranks = [
            int((scores >= scores[right]).sum())
            for right, scores in enumerate(watch(scored, folder.name, len(captions)))
        ]
        about = read_about(folder, kind="matcher")
        follows = module.sized and trained_as_in_the_paper("matcher", about)
        runs.append(Run(about.version, module.references, recall_at(ranks), follows, about))
    return Matching(len(examples), tuple(runs), tuple(notes))
