"""The demo: a campaign of simulated figures, taken as far as a lab would take its own before adjudication.

Everything goes the way of real work: figures are imported from files, pre-labelled, assigned and pushed; three
simulated annotators submit through Label Studio's API; their work is pulled. Each step finds out for itself
what is done, so that a demo which was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from annotator.accounts import people as accounts
from annotator.annotation_server import AnnotationServer
from annotator.assignment.assign import add_people, assign
from annotator.campaign.home import Home
from annotator.demo.annotators import simulate_demo
from annotator.imports.figures import import_figures
from annotator.prelabels.run import prelabel_home
from annotator.queue.ranking import refresh_disagreement
from annotator.store.store import Store
from annotator.sync import pull as pulling
from annotator.sync import push as pushing
from panelwise.domain import Annotation, AnnotatorError, Role, Task
from panelwise.files import Problems
from panelwise.formats import read_annotations, rebased
from panelwise.runtime import counted, whole_file
from panelwise.settings import FILE_NAME

PHASE = "1"
SEED = 0
LABELS = tuple("ABCDEFGH")
SIMULATED = ("ann1", "ann2", "ann3")
#: The person who tries the demo: has figures to do as well, with pre-labels only.
NEWCOMER = "guest"
#: Figures on which the simulated annotators agree and which the newcomer does not get: gold from the beginning.
UNANIMOUS = ("sim-001", "sim-006")
REVIEWER = "reviewer"

Report = Callable[[str], None]
Work = Callable[["Home", "Store"], "list[Annotation]"]


@dataclass(frozen=True, slots=True)
class DemoLogin:
    """A person who can sign in to the demo's adjudication view."""

    name: str
    password: str


def prepare(path: Path, report: Report) -> Home:
    """The demo's home with six figures imported, pre-labelled and assigned. Raises AnnotatorError."""
    check_own(path, "simulated")
    home = Home.create(path, name="Panelwise demo", labels=LABELS)
    folder = home.path / "simulated"
    if not (folder / "figures.jsonl").exists():
        report("writing six compound figures")
        write_sample(FIGURES, folder)
    problems = Problems()
    with home.open_store() as store:
        for _ in import_figures(home, store, folder / "figures.jsonl", problems):
            pass
        report("pre-labelling them")
        for _ in prelabel_home(home, store, problems, warn=report):
            pass
        assign_demo(store, SIMULATED, unanimous=UNANIMOUS)
    if problems.count:
        raise AnnotatorError(f"{path}: {problems.lines[0]}; remove the folder and start the demo again")
    return home


def assign_demo(store: Store, simulated: Sequence[str], *, unanimous: Collection[str]) -> None:
    """Assign all figures to the simulated annotators, and to the newcomer all but the unanimous ones.

    A figure with an open task is no gold before it is adjudicated, so `annotator export gold` would write nothing
    if the newcomer had them all.
    """
    with store.read() as tx:
        figures = [figure.id for figure in tx.figures.all()]
    assign(store, simulated, overlap=len(figures), phase=PHASE, seed=SEED)
    with store.transaction() as tx:
        add_people(tx, [NEWCOMER], blind=False)
        tx.tasks.add(Task(figure, NEWCOMER, PHASE) for figure in figures if figure not in unanimous)


def check_own(path: Path, folder: str) -> None:
    """Raises AnnotatorError if the home is there and is not a demo's. folder: what the demo draws into."""
    if (path / FILE_NAME).exists() and not (path / folder).is_dir():
        raise AnnotatorError(f"{path}: holds another campaign; give the demo a folder of its own with --home DIR")


def fill(home: Home, store: Store, server: AnnotationServer, report: Report, *, work: Work | None = None) -> None:
    """Push the tasks, let the simulated annotators submit what they have not, and pull.

    work: what they submit; None for that of `prepare`'s campaign. Raises AnnotatorError.
    """
    report("pushing the tasks to Label Studio")
    for _ in pushing.push(home, store, server, phase=PHASE):
        pass
    # A demo broken off between submitting and pulling would submit twice, or have unscored work.
    pull(home, store, server, rescore=True)
    made = {(each.annotator, each.figure.id): each for each in (work or simulated_work)(home, store)}
    people = sorted({annotator for annotator, _ in made})
    report(f"{counted(len(people), 'simulated annotator')} at work")
    with store.read() as tx:
        done = {(annotation.annotator, annotation.figure.id) for annotation in tx.annotations.all(phase=PHASE)}
        links = [link for name in people for link in tx.links.all(annotator=name, phase=PHASE)]
    phase = home.campaign.phase(PHASE)
    for link in links:
        if (link.annotator, link.figure_id) not in done:
            server.submit(link.task_id, made[link.annotator, link.figure_id], phase)
    report("pulling their work")
    pull(home, store, server)


def pull(home: Home, store: Store, server: AnnotationServer, *, rescore: bool = False) -> int:
    """Pull newly submitted work, and score the queue again; returns how many annotations were new.

    Where nothing is new the scores stay as they are, unless `rescore` asks for them; a pull that breaks off
    scores what it brought in. Raises SyncError.
    """
    server.check()  # a server that is down is found here, before there is anything to score
    new = 0
    whole = False
    try:
        for step in pulling.pull(home, store, server, phase=PHASE):
            new += step.added
        whole = True
    finally:
        if new or rescore or not whole:
            refresh_disagreement(store, campaign=home.campaign, phase=PHASE)
    return new


def reviewer_login(home: Home, store: Store) -> DemoLogin:
    """The reviewer's login; its random password is stored beside the demo, readable by its owner only."""
    file = home.path / "reviewer.json"
    if file.exists():
        kept = json.loads(file.read_text(encoding="utf-8"))
        login = DemoLogin(str(kept["name"]), str(kept["password"]))
        if accounts.verify_password(store, login.name, login.password) is not None:
            return login
        file.unlink()
    login = DemoLogin(REVIEWER, secrets.token_urlsafe(9))
    with store.read() as tx:
        known = tx.people.get(REVIEWER) is not None
    if known:
        accounts.set_password(store, login.name, login.password)
    else:
        accounts.add_person(store, login.name, roles=[Role.REVIEWER, Role.LEAD], password=login.password)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        json.dump({"name": login.name, "password": login.password}, out)
    return login


def simulated_work(home: Home, store: Store) -> list[Annotation]:
    """Simulate the annotators' work on the stored figures, with every kind of mistake."""
    return simulate_demo(read_truth(home.path / "simulated", store), SIMULATED, phase=PHASE, seed=SEED)


# The figures, pairs and truth of the demo campaigns, which are shipped as data. The simulator draws them
# (`panelwise_simulator.demo.data`); a demo needs no simulator.

_DATA = Path(__file__).with_name("data")
#: Compound figures: figures.jsonl, annotations.jsonl and images.
FIGURES = _DATA / "figures"
#: Charts: the same, and question-answer pairs in qa.jsonl.
QUESTIONS = _DATA / "questions"


def write_sample(sample: Path, folder: Path) -> None:
    """Write a sample's records and images into a folder; a folder with figures.jsonl, written last, is complete.

    Images are shipped as lossless WebP, which is a third smaller, and written as the PNG files that figures.jsonl
    names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for shipped in sorted(sample.glob("*.webp")):
        with Image.open(shipped) as image:
            image.save(folder / f"{shipped.stem}.png", compress_level=2)
    for records in sorted(sample.glob("*.jsonl")):
        if records.name != "figures.jsonl":
            shutil.copyfile(records, folder / records.name)
    with whole_file(folder / "figures.jsonl") as out:
        out.write((sample / "figures.jsonl").read_bytes())


def read_truth(folder: Path, store: Store) -> list[Annotation]:
    """Read a sample's truth, on the figures as stored. Raises AnnotatorError if the folder's file is damaged."""
    problems = Problems()
    with store.read() as tx:
        truths = [
            rebased(truth, tx.figures.get(truth.figure.id))
            for truth in read_annotations(folder / "annotations.jsonl", problems)
        ]
    if problems.count:
        raise AnnotatorError(f"{problems.lines[0]}; remove {folder.parent} and start the demo again")
    return truths
