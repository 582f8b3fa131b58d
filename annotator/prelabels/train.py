"""Training the models of the paper on a campaign's gold or on files of gold, and searches for their settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.gold.dataset.splits import earlier_splits, split_articles
from annotator.gold.releases import releases
from annotator.imports.exports_of_others import read_any
from annotator.measurement.sources import is_home
from panelwise.domain import AnnotatorError, GoldSource, check_new_name
from panelwise.files import Problems
from panelwise.formats import FIGURES, looks_of
from panelwise.runtime import counted
from prelabel.runs import need_models
from prelabel.training import (
    AGREEMENT_PHASE,
    COUNTS,
    EVERYBODY,
    PICTURED,
    RANDOM,
    SPLIT_KEYS,
    TINY,
    Chosen,
    Example,
    GoldFigure,
    Search,
    Split,
    Trial,
    data_hash,
    gold_figure_of,
    ids_by_split,
    is_docfigure,
    of_split,
    plain_figures,
    read_docfigure,
    read_examples,
    search,
)

if TYPE_CHECKING:
    from prelabel.models import About
    from prelabel.training import Fitted, Options, Stop, Watch


#: Characters of a model's name at most: predictions are stored under it, with a hash of its weights.
_LONGEST_NAME = 100


def _silent(_text: str) -> None:
    """Show no messages."""


@dataclass(frozen=True, slots=True)
class Material:
    """The training data. gold: a file, a campaign's home, or DocFigure's folder, which need nothing else; see
    `read_examples`.

    split_keys: default the file of this name beside the gold, unless another seed than 0 is given. include: the
    sources of gold to learn from.
    """

    gold: Path
    figures: Path | None = None
    images: Path | None = None
    split_keys: Path | None = None
    chosen: Chosen = EVERYBODY
    split_seed: int = 0
    include: frozenset[GoldSource] = frozenset(GoldSource)

    @property
    def split_file(self) -> Path | None:
        """The file that says the splits, if one does."""
        beside = self.gold.with_name(SPLIT_KEYS)
        unasked = self.split_keys is None and not self.split_seed and self.gold.is_file() and beside.is_file()
        return beside if unasked else self.split_keys

    @property
    def split_source(self) -> str:
        """Return the source of the splits, as a checkpoint names it."""
        file = self.split_file
        if file is not None:
            return f"{file.name} {sha256(file.read_bytes()).hexdigest()[:8]}"
        if is_docfigure(self.gold):
            return f"DocFigure's lists, validation drawn with seed {self.split_seed}"
        if is_home(self.gold) and (made := releases(Home.find(self.gold))):
            return f"release {made[-1].path.name}"
        return f"the records' own, else drawn with seed {self.split_seed}"


@dataclass(frozen=True, slots=True)
class Wishes:
    """Training options that differ from the paper's best trial (None: as there), and the time limit.

    name: what the model's predictions are signed with, "" for the kind. start: a checkpoint of the same kind to
    begin from, or a file of weights. The rest: see `Settings`.
    """

    name: str = ""
    start: Path | None = None
    batch: int | None = None
    dropout: float | None = None
    lr: float | None = None
    weight_decay: float | None = None
    warmup: int | None = None
    clip: float | None = None
    epochs: int = 100
    patience: int = 5
    minutes: float | None = None
    amp: bool = True


@dataclass(frozen=True, slots=True)
class Training:
    """The values shared by all trainings of a search, or those of a single training.

    kind: of model. options, wishes: how to train it. problems: collects what cannot be learnt from. warn: called
    with one line for the person who waits. watch: shows progress; None shows none.
    """

    kind: str
    options: Options
    problems: Problems
    wishes: Wishes = Wishes()
    warn: Callable[[str], None] = _silent
    watch: Watch | None = None

    def examples(self, material: Material) -> list[Example]:
        """The figures of the material that a model of this kind learns from; says how many they are."""
        from prelabel.training import examples_for

        every = examples_of(material, self.problems, plain=self.kind == "matcher")
        examples = examples_for(self.kind, every, self.problems)
        self.warn(f"{described(examples)}; splits: {material.split_source}")
        return examples


def examples_of(material: Material, problems: Problems, *, plain: bool = False) -> list[Example]:
    """The accepted figures of the gold, each in its split. Raises AnnotatorError if there is none.

    plain: the gold may be a file of figures without any work on them.
    """
    gold: Any = material.gold
    if is_docfigure(gold):
        gold = read_docfigure(gold, problems, seed=material.split_seed)
    elif plain and not gold.is_dir() and FIGURES in looks_of(gold).layouts:
        gold = plain_figures(gold, problems, images=material.images)
    elif is_home(material.gold):
        gold = adjudicated_figures(
            Home.find(material.gold), problems, agreement_phase=material.chosen.agreement_phase
        )
    return read_examples(
        gold,
        problems,
        images=material.images,
        figures=material.figures,
        split_keys=material.split_file,
        chosen=material.chosen,
        include=material.include,
        seed=material.split_seed,
        read=read_any,
    )


def train(training: Training, material: Material, out: Path, *, resume: bool = True) -> Fitted:
    """Train a model into the folder `out`; see `fit`.

    Raises AnnotatorError, one line, for a name that predictions can't have, missing packages and too little gold.
    """
    check_new_name(training.wishes.name)
    if len(training.wishes.name) > _LONGEST_NAME:
        raise AnnotatorError(f"the model's name has more than {_LONGEST_NAME} characters; shorten it")
    need_models(f"training a {training.kind}")
    if training.wishes.start is None:
        _refuse_absent(training.kind, training.options)
    return train_on(training, training.examples(material), material.split_source, out, resume=resume)


def _refuse_absent(kind: str, options: Options) -> None:
    """Raise AnnotatorError, one line, for a model that is surely not there, before gold is read."""
    from prelabel.models import NotFetched, refuse_absent
    from prelabel.training import models_to_open

    for what, name in models_to_open(kind, options):
        try:
            refuse_absent(name)
        except NotFetched as error:
            made = ', "tiny" or "base"' if what == "encoder" else ""
            raise AnnotatorError(f'{what} "{name}": {error}; give a folder, a name on the hub{made}') from None


def train_on(
    training: Training,
    examples: list[Example],
    split_source: str,
    out: Path,
    *,
    resume: bool = True,
    stop: Stop | None = None,
) -> Fitted:
    """Train on examples that are read already. split_source: see `Material`. stop: see `fit`."""
    from prelabel.models import About, choose_device, load_weights
    from prelabel.training import (
        GRACE,
        PICTURED,
        TAGGERS,
        WORDED,
        Settings,
        began_random,
        begins_random,
        fit,
        make_task,
        recipe_for,
        recipe_of,
        resolve_options,
        seed_all,
    )

    kind, options, wishes = training.kind, training.options, training.wishes
    begun, start = _started(kind, options, wishes.start, training.warn)
    recipe = recipe_for(kind, options) if start is None else recipe_of(start.settings, recipe_for(kind, options))
    chosen = resolve_options(kind, begun, recipe, batch=wishes.batch, dropout=wishes.dropout)
    choose_device(chosen.device)  # one that is not there is reported before weights are fetched
    settings = Settings(
        lr=recipe.lr if wishes.lr is None else wishes.lr,
        weight_decay=recipe.weight_decay if wishes.weight_decay is None else wishes.weight_decay,
        warmup=recipe.warmup if wishes.warmup is None else wishes.warmup,
        clip=recipe.clip if wishes.clip is None else wishes.clip,
        epochs=wishes.epochs,
        patience=wishes.patience,
        grace=0 if chosen.like_the_authors else GRACE,
        minutes=wishes.minutes,
        seed=chosen.seed,
        device=chosen.device,
        amp=wishes.amp,
        other={**chosen.fixed(kind), **_inherited(start)},
        frozen_epochs=chosen.frozen_epochs,
        bert_adam=chosen.like_the_authors and kind in TAGGERS,
    )
    about = About(
        kind=kind,
        name=wishes.name or kind,
        architecture={},
        data_hash=data_hash(examples, images=kind in PICTURED, references=chosen.references),
        splits=ids_by_split(examples, () if start is None else start.splits.get(Split.TRAIN, ())),
        split_source=split_source,
        random_weights=begins_random(kind, chosen) if start is None else began_random(start),
    )
    if again := sum(
        example.split != Split.TRAIN and example.figure.id in about.splits["train"] for example in examples
    ):
        training.warn(
            f"{counted(again, 'figure')} to validate or test with were learnt by {settings.other['start']}; "
            "scores on them say little"
        )
    seed_all(chosen.seed)
    task = make_task(kind, examples, chosen, training.problems)
    if start is not None and wishes.start is not None:
        _check_answers(wishes.start, start, task)
        load_weights(wishes.start, task.module)
        if kind in WORDED:
            task.module.encoder.name = str(start.architecture.get("encoder", ""))
    more: dict[str, Any] = {} if training.watch is None else {"watch": training.watch}
    return fit(task, settings, out, about=about, resume=resume, warn=training.warn, stop=stop, **more)


def _started(
    kind: str, options: Options, start: Path | None, warn: Callable[[str], None]
) -> tuple[Options, About | None]:
    """The options for beginning from a checkpoint, and what it says of itself; None if it is none."""
    from prelabel.models import ENCODER, find_checkpoint, read_about
    from prelabel.training import WORDED

    if start is None:
        return options, None
    if start.is_file() and kind in PICTURED:
        return replace(options, weights=str(start)), None
    about = read_about(start, kind=kind, warn=warn)
    place = find_checkpoint(start)
    known = about.architecture
    # All weights come from there: none need be fetched.
    begun = replace(options, random_weights=True, encoder=str(place / ENCODER) if kind in WORDED else "")
    if kind == "detector" and not options.architecture:
        begun = replace(begun, architecture=str(place))
    if kind == "matcher":
        from prelabel.matchers import check_matcher

        check_matcher(about, place)
    if kind in ("classifier", "matcher"):
        net, side = known.get("net"), known.get("side")
        begun = replace(
            begun,
            architecture=options.architecture or (net if isinstance(net, str) else ""),
            side=options.side or (side if isinstance(side, int) else 0),
        )
    if kind == "classifier":
        asked = {(True, False): "compound", (False, True): "type", (True, True): "both"}
        target = asked.get((bool(known.get("compound")), bool(known.get("types"))), options.target)
        begun = replace(
            begun,
            target=target,
            softmax=options.softmax or known.get("softmax") is True,
            crop=options.crop or known.get("crop") is True,
        )
    return begun, about


def _check_answers(folder: Path, start: About, task: Any) -> None:
    """Raise AnnotatorError, one line, if a classifier to begin from knows other types than the figures have."""
    from prelabel.models import WEIGHTS, find_checkpoint

    types, known = task.architecture.get("types"), start.architecture.get("types")
    if types != known:
        shown, ours = (", ".join(each) if isinstance(each, list) and each else "none" for each in (known, types))
        raise AnnotatorError(
            f"{folder}: knows the types {shown}, and the figures to train with are of {ours}; give figures of the "
            f"same types, or begin from the file of weights with --start {find_checkpoint(folder) / WEIGHTS}"
        )


def _inherited(start: About | None) -> dict[str, Any]:
    """Return the fields that a training's record takes over from its starting checkpoint."""
    from prelabel.training import began_random

    if start is None:
        return {"start": ""}
    # Its encoder is made without weights, but those of the checkpoint replace them.
    return {"start": start.version, "random_weights": began_random(start)}


def described(examples: list[Example]) -> str:
    """Describe the training data in one line: figures, articles and sources of gold."""
    counts = ", ".join(f"{len(of_split(examples, split))} {word}" for split, word in _WORDS.items())
    articles = len({example.figure.document or example.figure.id for example in examples})
    gold = shares(examples)
    return f"{counted(len(examples), 'figure')} of {counted(articles, 'article')}: {counts}" + (
        gold and f"; {gold}"
    )


def shares(examples: Iterable[Example]) -> str:
    """Describe the numbers of figures by source of gold, "9 adjudicated, 16 single"; "" if it is unknown."""
    found = Counter(example.source for example in examples)
    return ", ".join(f"{found[source]} {source.value}" for source in GoldSource if found[source])


_WORDS: Mapping[Split, str] = {Split.TRAIN: "to train", Split.VAL: "to validate", Split.TEST: "kept for the test"}


def adjudicated_figures(
    home: Home, problems: Problems, *, agreement_phase: str = AGREEMENT_PHASE
) -> list[GoldFigure]:
    """The gold, single too, by figure id. An image that is nowhere is a problem, and its figure left out.

    agreement_phase: figures that two annotators or more did in it are of the agreement study, and kept for the
    test; a campaign need not have such a phase. Once there is a release, articles are in its splits, and new ones
    in those that the next release will give them.
    """
    with home.open_store() as store:
        people: dict[str, set[str]] = {}
        with store.read() as tx:
            for annotation in tx.annotations.all(phase=agreement_phase):
                people.setdefault(annotation.figure.id, set()).add(annotation.annotator)
        found = []
        for record in gold(store, home.campaign, GoldTally(), include=tuple(GoldSource)):
            try:
                image = home.image_path(record.figure)
            except AnnotatorError as error:
                problems.add(error)
                continue
            together = len(people.get(record.figure.id, ())) > 1
            source = record.provenance.source
            found.append(
                gold_figure_of(
                    record.figure, image, record.subfigures, record.items, agreement=together, source=source
                )
            )
    return _as_released(home, found, problems)


def _as_released(home: Home, figures: list[GoldFigure], problems: Problems) -> list[GoldFigure]:
    frozen = earlier_splits(releases(home))
    if not frozen:
        return figures
    documents = [gold.figure.document or gold.figure.id for gold in figures]
    marked = [(document, gold.split) for document, gold in zip(documents, figures, strict=True)]
    splits, warnings = split_articles(marked, frozen)
    for warning in warnings:
        problems.note(warning)
    return [replace(gold, split=splits[name]) for gold, name in zip(figures, documents, strict=True)]


def tune(
    training: Training,
    material: Material,
    out: Path,
    *,
    trials: int | None = None,
    sampler: str = RANDOM,
    prune: bool = False,
    writes: bool = True,
) -> list[Trial]:
    """Search for settings of a kind in the folder `out`; returns all trials, best first. See `search`.

    training: what all trials have in common. trials: default as many as the paper did. writes: see `search`.
    Raises AnnotatorError, one line, if packages are missing, the gold does not suffice, or every trial failed.
    """
    kind, wishes = training.kind, training.wishes
    need_models(f"tuning a {kind}")
    examples = training.examples(material)
    fixed = training.options.fixed(kind)
    what = Search(
        kind=kind,
        seed=training.options.seed,
        sampler=sampler,
        prune=prune,
        tiny=training.options.encoder == TINY,
        fixed={
            **{key: value for key, value in fixed.items() if key not in ("batch", "dropout")},
            "data": data_hash(examples, images=kind in PICTURED, references=training.options.references),
            "batch": wishes.batch,
            "epochs": wishes.epochs,
            "patience": wishes.patience,
            "minutes": wishes.minutes,
        },
    )

    def train(settings: Mapping[str, float], folder: Path, stop: Stop | None) -> Fitted:
        tried = replace(
            wishes,
            lr=settings["lr"],
            weight_decay=settings.get("weight_decay", wishes.weight_decay),
            dropout=settings.get("dropout", wishes.dropout),
        )
        return train_on(replace(training, wishes=tried), examples, material.split_source, folder, stop=stop)

    return search(what, out, trials or COUNTS[kind], train, writes=writes, warn=training.warn)
