"""Campaigns in many states, with people of every role, to take pictures of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from annotator.accounts.people import add_person
from annotator.campaign.home import Home
from annotator.demo import figures, questions
from annotator.jobs import folders
from annotator.jobs.commands import JobKind
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    Annotation,
    Decision,
    ErrorKind,
    Figure,
    FigureKind,
    HumanAnswer,
    Items,
    Role,
    Status,
    Task,
)

PASSWORD = "violet harbour lantern 93"
LEAD, ANNOTATOR, REVIEWER, SECOND = "lena", figures.NEWCOMER, "rita", "robin"
#: The annotator who has done everything.
DILIGENT = figures.SIMULATED[0]
Work = Callable[[Home, Store], list[Annotation]]


def _answers(home: Home, store: Store) -> list[Annotation]:
    """Return answers of two people to every question; they differ in every third."""
    begun = datetime(2026, 1, 12, 9, 0, tzinfo=UTC)
    with store.read() as tx:
        asked = [tx.figures.get(each.id) for each in tx.figures.all()]
    return [
        Annotation(
            figure,
            name,
            home.campaign.phases[0].name,
            Status.ACCEPTED,
            (),
            begun + timedelta(days=number, minutes=place),
            items=Items(
                answers=tuple(
                    HumanAnswer(pair.id, "about 3" if number and position % 3 == 0 else pair.answer)
                    for position, pair in enumerate(figure.imported.pairs)
                )
            ),
            seconds=90.0 + place,
        )
        for number, name in enumerate(figures.SIMULATED[:2])
        for place, figure in enumerate(asked)
    ]


def _empty(folder: Path, _report: Callable[[str], None]) -> Home:
    return Home.create(folder, name="A campaign that has just begun", labels=figures.LABELS)


#: Campaign -> how its home is made, its task type in place of that, and what simulated annotators submitted.
CAMPAIGNS: dict[str, tuple[Callable[[Path, Callable[[str], None]], Home], str, Work]] = {
    "subfigures": (figures.prepare, "", figures.simulated_work),
    "questions": (questions.prepare, "", questions.work),
    "answers": (questions.prepare, "human-eval", _answers),
    "empty": (_empty, "", lambda _home, _store: []),
}
#: Person -> roles.
PEOPLE = {
    LEAD: [Role.LEAD, Role.REVIEWER],
    REVIEWER: [Role.REVIEWER],
    SECOND: [Role.REVIEWER],
    ANNOTATOR: [Role.ANNOTATOR],
    DILIGENT: [Role.ANNOTATOR],
}
TYPES = '\n[[phases]]\nname = "types"\ntask_type = "figure-types"\n'
BLIND = '\n[[phases]]\nname = "2"\nblind = true\nseeded = false\ngiven = "gold"\n'


def make_home(name: str, folder: Path) -> Home:
    """Make a campaign in which people annotate in Panelwise, with work on it and an account for each role."""
    prepare, task_type, work = CAMPAIGNS[name]
    home = prepare(folder, print)
    file = folder / "campaign.toml"
    text = file.read_text(encoding="utf-8").replace("[[phases]]", '[[phases]]\nannotate_in = "panelwise"')
    if name == "subfigures":
        text += TYPES + BLIND
    text += "\n[view]\nfeedback = true\n"
    if task_type:
        text = text.replace('task_type = "figure-qa"', f'task_type = "{task_type}"').replace(
            "fine_types = true", ""
        )
    file.write_text(text, encoding="utf-8")
    home = Home.find(folder)
    with home.open_store() as store:
        with store.transaction() as tx:
            for annotation in work(home, store):
                tx.annotations.add(annotation)
        for person, roles in PEOPLE.items():
            add_person(store, person, roles=roles, password=PASSWORD)
        with store.transaction() as tx:
            known = [tx.figures.existing(each.id) for each in tx.figures.all()]
            if known:
                _add_states(tx, known, blind=name == "subfigures")
            done = {work.figure.id: work for work in tx.annotations.all(annotator=DILIGENT)}
            if known and name != "answers":
                tx.decisions.add(_decision(done[known[-1].id]))
        score_disagreement(store, home.campaign)
    return home


def _decision(work: Annotation) -> Decision:
    """Return a decision that is like an annotator's work, but for the first part."""
    first, *others = work.subfigures or [None]
    return Decision(
        work.figure,
        REVIEWER,
        1,
        Status.ACCEPTED,
        tuple(others) if first and others else work.subfigures,
        (DILIGENT,),
        datetime.now(UTC).replace(microsecond=0),
        items=replace(work.items, verdicts=work.items.verdicts[1:]),
        note="The inset is a part of its panel.",
        seconds=42.0,
        error_kind=ErrorKind.GAP,
        guideline_flag="Is a scale bar a part of a panel?",
    )


def _add_states(tx: Transaction, known: list[Figure], *, blind: bool) -> None:
    """Give the annotator a task in each state, and a reviewer one to annotate blind."""
    now = datetime.now(UTC).replace(microsecond=0)
    rejected, left_out, skipped, sent_back, *_ = known
    tx.tasks.add([Task(figure.id, ANNOTATOR, figures.PHASE) for figure in known])
    for figure, status, reason in (
        (rejected, Status.REJECTED, "a photograph, without panels"),
        (left_out, Status.IGNORED, "I know the authors"),
        (sent_back, Status.REJECTED, ""),
    ):
        tx.annotations.add(
            Annotation(figure, ANNOTATOR, figures.PHASE, status, (), now - timedelta(hours=2), reason=reason)
        )
    tx.tasks.skip(Task(skipped.id, ANNOTATOR, figures.PHASE), now)
    tx.sent_back.add(
        sent_back.id, figures.PHASE, ANNOTATOR, REVIEWER, "It is a figure after all: see panel B.", now
    )
    if blind:
        tx.tasks.add([Task(figure.id, SECOND, "2") for figure in (rejected, known[-1])])
        # One figure has both screens.
        for number, name in enumerate(figures.SIMULATED[:2]):
            kind = FigureKind(True, 4, frozenset({"graph", "tree"} if number else {"graph"}))
            tx.annotations.add(Annotation(left_out, name, "types", Status.ACCEPTED, (), now, items=Items(kind)))


def write_jobs(home: Home) -> Iterator[tuple[str, int]]:
    """Write an import that failed and a job that was interrupted; yield their names and numbers."""
    place = home.path / folders.FOLDER
    for name, number, kind, log, exit_status in (
        ("job-failed", 101, JobKind.IMPORT, "importing: 3 of 4\nfigures.jsonl:3: has no image; add its file\n", 1),
        ("job-interrupted", 102, JobKind.PRELABEL, "pre-labelling: 2 of 6\n", None),
    ):
        folder = place / f"{number:06}"
        (folder / folders.FILES).mkdir(parents=True)
        (folder / folders.LOG).write_text(log, encoding="utf-8")
        folders.write_request(
            folder, folders.Request(kind, kind.value, (), LEAD, datetime.now(UTC).replace(microsecond=0))
        )
        if exit_status is not None:
            folders.write_result(folder, folders.Result(exit_status))
        yield name, number
