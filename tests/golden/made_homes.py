"""The sample campaigns behind the golden outputs, made from the demo's figures by the services themselves.

Their stores and homes are committed as this version leaves them (`homes/`), and never made again: later versions
open them. Made anew only on purpose, with `pytest tests/golden --write-golden-homes`.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from PIL import Image

from annotator.accounts import people as accounts
from annotator.adjudication import adjudicate_many, history
from annotator.adjudication.anonymity import Keys, names_by_key
from annotator.adjudication.decide import decide
from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import Draft, ItemsDraft, OwnItemsDraft, SubfiguresDraft
from annotator.adjudication.kinds.pairs import AnswerWord, PairValue, PairWord
from annotator.adjudication.kinds.types import KindValue
from annotator.assignment.assign import assign_phase
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.demo.annotators import simulate, simulate_demo
from annotator.demo.figures import FIGURES, QUESTIONS, read_truth
from annotator.demo.questions import work as question_work
from annotator.imports.figures import import_figures
from annotator.own_tasks import annotate
from annotator.own_tasks.allowed_fields import BlindDraft
from annotator.queue.filter import EVERYTHING
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Prediction, Status
from panelwise.domain.campaign import Role, Task
from panelwise.domain.decision import ErrorKind
from panelwise.domain.items import FigureKind, Items, QAVerdict, Verdict
from panelwise.files.jsonl import Problems

HOMES = Path(__file__).with_name("homes")
#: Of the homes made here; one has to be known, so that pseudonyms and keys are the same each time.
SECRET = b"0123456789abcdef" * 4
PASSWORD = "a good password"
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
BEGUN = datetime(2026, 2, 2, 10, 0, tzinfo=UTC)
PEOPLE = {
    "ann1": [Role.ANNOTATOR],
    "ann2": [Role.ANNOTATOR],
    "ann3": [Role.ANNOTATOR],
    "rita": [Role.REVIEWER],
    "rolf": [Role.REVIEWER],
    "lena": [Role.LEAD],
}
RELEASE = """
[release]
title = "Sample figures"
licence = "CC-BY-4.0"
authors = [{name = "Weaver", forenames = "Ada", affiliation = "Example University"}]
figure_licence = "CC-BY-4.0"
description = "Drawn figures, annotated by simulated people."
"""
PANELS = (
    """name = "Panels"
labels = ["A", "B", "C", "D", "E", "F", "G", "H"]
quorum = 2
reviewers = ["rita", "rolf"]
guideline = "1"

[[phases]]
name = "1"
annotators = ["ann1", "ann2", "ann3"]

[[phases]]
name = "2"
annotate_in = "panelwise"
annotators = ["ann1", "ann2"]
figures_of = "1"

[[phases]]
name = "blind"
figures_of = "1"
blind = true
given = "gold"
"""
    + RELEASE
)
PAIRS = (
    """name = "Pairs"
labels = ["A", "B", "C", "D"]
quorum = 2
second_reviewer = true
reviewers = ["rita", "rolf"]
guideline = "1"

[[phases]]
name = "1"
task_type = "figure-qa"
fine_types = true
annotators = ["ann1", "ann2"]

[[phases]]
name = "types"
task_type = "figure-types"
annotate_in = "panelwise"
annotators = ["ann1", "ann3"]
figures_of = "1"

[[phases]]
name = "eval"
task_type = "human-eval"
annotate_in = "panelwise"
annotators = ["ann2", "ann3"]
figures_of = "1"
"""
    + RELEASE
)


class Clock:
    """Times that go on by a minute at each call."""

    def __init__(self) -> None:
        self._now = BEGUN

    def __call__(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now


def make_panels(path: Path) -> Home:
    """A campaign of subfigures: two phases, a blind one, decisions of every kind, comments, a withdrawal."""
    home = _begun(path, PANELS, FIGURES)
    now = Clock()
    with home.open_store() as store:
        truths = read_truth(path / "drawn", store)
        assign_phase(store, home.campaign, home.campaign.phase("1"))
        assign_phase(store, home.campaign, home.campaign.phase("2"))
        work = simulate_demo(truths, ("ann1", "ann2", "ann3"), phase="1")
        with store.transaction() as tx:
            for model, scale in (("classic-1", 0.9), ("north", 0.7)):
                for truth in truths:
                    drawn = simulate(truth, annotator=model).subfigures
                    scores = tuple(scale - 0.05 * place for place in range(len(drawn)))
                    tx.predictions.put(Prediction(truth.figure, model, drawn, scores))
            for annotation in work:
                seeded = "classic-1" if annotation.annotator == "ann2" else None
                tx.annotations.add(replace(annotation, seeded_by=seeded, guideline="1"), origin="golden")
        score_disagreement(store, home.campaign)
        _second_phase(home, store, truths, now)
        _decide_panels(home, store, now)
        _write_blind(home, store, now)
        _talk(store, now)
    return home


def make_pairs(path: Path) -> Home:
    """A campaign of pairs, types and human evaluation, in which every decision needs two reviewers."""
    home = _begun(path, PAIRS, QUESTIONS)
    now = Clock()
    with home.open_store() as store:
        for phase in home.campaign.phases:
            assign_phase(store, home.campaign, phase)
        work = [replace(annotation, phase="1") for annotation in question_work(home, store)]
        with store.transaction() as tx:
            for annotation in work:
                tx.annotations.add(annotation, origin="golden")
            for place, annotation in enumerate(work[::2]):
                _tell_types(tx, annotation, place, now)
        score_disagreement(store, home.campaign)
        _decide_pairs(home, store, work[::2], now)
        _evaluate(home, store, work[::2], now)
    return home


MAKERS: Mapping[str, Callable[[Path], Home]] = {"panels": make_panels, "pairs": make_pairs}


def write_homes(scratch: Path) -> None:
    """Make the homes anew and write them to `homes/`."""
    for name, make in MAKERS.items():
        home = make(scratch / name)
        folder = HOMES / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(home.images, folder / "images")
        shutil.copyfile(home.path / "campaign.toml", folder / "campaign.toml")
        whole = scratch / f"{name}.sqlite"
        with closing(sqlite3.connect(home.path / "store.sqlite")) as store:
            store.execute("VACUUM INTO ?", [str(whole)])
        (folder / "store.sqlite.gz").write_bytes(gzip.compress(whole.read_bytes(), mtime=0))


def open_home(name: str, path: Path) -> Home:
    """Copy a committed home, its store included, to a folder."""
    shutil.copytree(HOMES / name, path)
    packed = path / "store.sqlite.gz"
    packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()
    _write_secret(path)
    return Home.find(path)


def _write_secret(path: Path) -> None:
    (path / "secret.key").write_bytes(SECRET)
    (path / "secret.key").chmod(0o600)


def _begun(path: Path, settings: str, sample: Path) -> Home:
    """A home with people and a sample's figures, whose images are blank: they are small then."""
    path.mkdir(parents=True)
    _write_secret(path)
    home = Home.create(path, settings=settings)
    folder = path / "drawn"
    folder.mkdir()
    for records in sample.glob("*.jsonl"):
        shutil.copyfile(records, folder / records.name)
    for drawn in sorted(sample.glob("*.webp")):
        with Image.open(drawn) as image:
            Image.new("1", image.size, 1).save(folder / f"{drawn.stem}.png", optimize=True)
    problems = Problems()
    pairs = folder / "qa.jsonl"
    with home.open_store() as store:
        for name, roles in PEOPLE.items():
            accounts.add_person(store, name, roles=roles, password=PASSWORD)
        questions = pairs if pairs.exists() else None
        for _ in import_figures(home, store, folder / "figures.jsonl", problems, qa=questions):
            pass
    assert problems.count == 0, problems.lines
    return home


# ---- subfigures ---------------------------------------------------------------------------------------


def _panels_of(annotation: Annotation) -> tuple[Panel, ...]:
    return tuple(
        Panel(part.label, (part.box.x0, part.box.y0, part.box.x1, part.box.y1), tuple(sorted(part.subcaption)))
        for part in annotation.subfigures
    )


def _second_phase(home: Home, store: Store, truths: list[Annotation], now: Clock) -> None:
    """Work on Panelwise's own screen: submitted, rejected, left out, skipped, undone."""

    def submit(who: str, figure: str, draft: Draft) -> None:
        key = TaskKeys(home.secret()).of(Task(figure, who, "2"))
        annotate.submit(store, home, key, who, draft, revision=1, now=now())

    parts = {truth.figure.id: _panels_of(truth) for truth in truths}
    for who in ("ann1", "ann2"):
        for figure in ("sim-001", "sim-003"):
            labels = tuple(part.label for part in parts[figure])
            draft = SubfiguresDraft(
                version=0, status=Status.ACCEPTED, subfigures=parts[figure], seconds=41.5, viewed=labels
            )
            submit(who, figure, draft)
    changed = replace_panel(parts["sim-003"])
    submit("ann2", "sim-003", SubfiguresDraft(version=1, status=Status.ACCEPTED, subfigures=changed, seconds=12.0))
    submit(
        "ann1",
        "sim-002",
        SubfiguresDraft(version=0, status=Status.REJECTED, subfigures=(), note="not a compound figure"),
    )
    submit(
        "ann2",
        "sim-002",
        SubfiguresDraft(version=0, status=Status.IGNORED, subfigures=(), note="the caption is cut off"),
    )
    submit(
        "ann1",
        "sim-004",
        SubfiguresDraft(version=0, status=Status.ACCEPTED, subfigures=parts["sim-004"], seconds=3.25),
    )
    annotate.undo(store, home, "ann1", now=now())
    annotate.skip(store, home, TaskKeys(home.secret()).of(Task("sim-005", "ann1", "2")), "ann1", now=now())


def replace_panel(parts: tuple[Panel, ...]) -> tuple[Panel, ...]:
    """The panels with the first box a third of a pixel narrower and without its first token."""
    first, *others = parts
    x0, y0, x1, y1 = first.box
    return (Panel(first.label, (x0, y0, x1 - 1 / 3, y1), first.tokens[1:]), *others)


def _decide_panels(home: Home, store: Store, now: Clock) -> None:
    def decided(figure: str, who: str, version: int, status: Status = Status.ACCEPTED, **more: Any) -> None:
        with store.read() as tx:
            work = tx.work.of(figure)
        keys = names_by_key(work, Keys(home.secret(), figure))
        adopted = next(each for each in work.annotations if each.annotator == "ann1")
        based = tuple(key for key, name in keys.items() if name == "ann1")
        parts = _panels_of(adopted) if status is Status.ACCEPTED else ()
        if more.pop("changed", False):
            parts = replace_panel(parts)
        draft = SubfiguresDraft(
            version=version, status=status, subfigures=parts, based_on=based if parts else (), **more
        )
        decide(store, home, figure, who, draft, now=now())

    decided("sim-002", "rita", 0, seconds=61.5, note="Both dialects.\n“Kept” as is", error_kind=ErrorKind.SLIP)
    decided("sim-003", "rita", 0, seconds=20.0, guideline_flag="Do scale bars belong to a panel?")
    decided("sim-003", "rolf", 1, changed=True, error_kind=ErrorKind.GAP)
    decided("sim-004", "rita", 0, second=True)
    decided("sim-004", "rolf", 1)
    decided("sim-005", "rolf", 0, Status.REJECTED, note="drawn by hand")
    history.reopen(store, "sim-005", "rita", loaded=1, note="look again", now=now())
    history.restore(store, home, "sim-005", "rita", 1, loaded=2, now=now())
    history.reopen(store, "sim-005", "rolf", loaded=3, note="once more", now=now())
    decided("sim-005", "rita", 4, second=True, changed=True)
    shown = adjudicate_many.preview(store, home.campaign, EVERYTHING, "rita")
    marks = {each.figure.id: each.mark for each in shown.figures}
    adjudicate_many.finish(store, home.campaign, "rita", marks, now=now())


def _write_blind(home: Home, store: Store, now: Clock) -> None:
    assign_phase(store, home.campaign, home.campaign.phase("blind"))
    with store.read() as tx:
        tasks = tx.tasks.all(phase="blind")
    for task in tasks:
        if task.figure not in {"sim-002", "sim-003"}:
            continue
        key = TaskKeys(home.secret()).of(task)
        _, given = annotate.open_blind_task(store, home, key, task.annotator, now=now())
        texts = tuple(tuple(sorted(part.subcaption))[:-1] or (0,) for part in given.subfigures)
        if task.figure == "sim-002" and task.annotator == "rolf":
            draft = BlindDraft(0, Status.REJECTED, reason="no panel is described")
        else:
            draft = BlindDraft(0, Status.ACCEPTED, tuple(texts), 33.25)
        annotate.submit(store, home, key, task.annotator, draft, revision=1, now=now())
    annotate.hand_in(store, home, "blind", "rita", now=now())


def _talk(store: Store, now: Clock) -> None:
    with store.transaction() as tx:
        tx.comments.add("sim-003", "ann1", "rita", "Why not the scale bar?", now(), thread=None)
        tx.comments.add("sim-003", "ann1", "ann1", "It is in both panels.", now(), thread=1)
        tx.sent_back.add("sim-004", "1", "ann3", "rita", "Label of the third panel", now())
        tx.withdrawals.add(["sim-006"], "lena", "licence", now())


# ---- pairs, types, answers ----------------------------------------------------------------------------


def _tell_types(tx: Any, annotation: Annotation, place: int, now: Clock) -> None:
    """Two people's types of a figure: alike on each second one."""
    kind = annotation.items.kind or FigureKind(False, 1, frozenset({"line chart"}), "")
    other = replace(kind, compound=True, count=2, note="two axes") if place % 2 else kind
    for who, said in (("ann1", kind), ("ann3", other)):
        tx.annotations.add(
            Annotation(
                annotation.figure, who, "types", Status.ACCEPTED, (), now(), items=Items(said), seconds=9.5
            ),
            origin="golden",
        )


def _pair_words(annotation: Annotation, *, note: str = "") -> tuple[PairWord, ...]:
    def word(verdict: QAVerdict) -> PairWord:
        edited = verdict.edited
        value = edited and PairValue(
            edited.kind, edited.question, edited.choices, edited.answer, tuple(sorted(edited.evidence))
        )
        return PairWord(verdict.item, verdict.verdict, value, verdict.note or note)

    return tuple(map(word, annotation.items.verdicts))


def _decide_pairs(home: Home, store: Store, work: list[Annotation], now: Clock) -> None:
    """Both reviewers alike on three charts, apart on one, and one of them alone on one."""
    for place, annotation in enumerate(work[1:]):
        kind = annotation.items.kind
        value = kind and KindValue(kind.compound, kind.count, tuple(sorted(kind.types)), kind.note)
        draft = ItemsDraft(
            version=0, status=Status.ACCEPTED, kind=value, verdicts=_pair_words(annotation), seconds=70.0 + place
        )
        figure = annotation.figure.id
        decide(store, home, figure, "rita", draft, now=now())
        if place == 4:
            continue
        again = replace_draft(draft, verdicts=_pair_words(annotation)) if place < 3 else _with_other_answer(draft)
        decide(store, home, figure, "rolf", again, now=now())


def replace_draft(draft: Draft, **changes: Any) -> Draft:
    """The draft of the reviewer who comes next."""
    import msgspec

    return msgspec.structs.replace(draft, version=draft.version + 1, **changes)


def _with_other_answer(draft: Draft) -> Draft:
    assert isinstance(draft.verdicts, tuple)
    first, *others = draft.verdicts
    other = PairWord(first.item, Verdict.INCORRECT, None, "cannot be read off")
    return replace_draft(draft, verdicts=(other, *others), error_kind=ErrorKind.AMBIGUOUS)


def _evaluate(home: Home, store: Store, work: list[Annotation], now: Clock) -> None:
    """Two people answer the questions of three charts; some they do not know."""
    for annotation in work[1:4]:
        for who in ("ann2", "ann3"):
            key = TaskKeys(home.secret()).of(Task(annotation.figure.id, who, "eval"))
            state = annotate.open_task(store, home, key, who).state
            words = tuple(
                AnswerWord(question.id, _answer(question, place, who), "" if place else "at a glance")
                for place, question in enumerate(state.questions)
            )
            draft = OwnItemsDraft(version=0, status=Status.ACCEPTED, answers=words, seconds=55.5)
            annotate.submit(store, home, key, who, draft, revision=1, now=now())


def _answer(question: Any, place: int, who: str) -> str | None:
    if place % 4 == 3:
        return None
    if question.choices:
        return "A" if who == "ann2" else "B"
    return "Yes"


def answer_table(home: Home) -> str:
    """Two systems' answers to all pairs of a home, as lines of SciVQA."""
    with home.open_store() as store, store.read() as tx:
        pairs = [pair for figure in tx.figures.all() for pair in figure.imported.pairs]
    lines = ["instance_id,answer_pred"]
    lines += [f"{pair.id},{json.dumps(pair.answer if place % 3 else 'No')}" for place, pair in enumerate(pairs)]
    return "\n".join(lines) + "\n"
