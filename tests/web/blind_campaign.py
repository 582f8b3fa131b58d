"""A campaign with a blind phase; what annotators and reviewers did on its figures bears marks to look for."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from builders import a_decision, a_figure, a_prediction, a_subfigure, an_annotation
from PIL import Image
from web.asking import ANNOTATORS, PASSWORD

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Role, Task
from panelwise.domain.decision import ErrorKind
from panelwise.settings.campaign_toml import FILE_NAME

#: What passwords cost in tests.
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
TOML = """
name = "Lungs"
labels = ["A", "B", "C", "D"]

[[phases]]
name = "1"

[[phases]]
name = "2"
blind = true
given = {given!r}
"""
#: The gold's subfigures on the figures: what is given, and the tokens that nobody is told.
LEFT, RIGHT = (20.25, 30.5, 390.75, 580.0), (410.5, 30.5, 780.25, 580.0)
SECRET_TEXTS = ((4, 6, 7, 13), (8, 10, 12, 13))
#: A box that one annotator drew and the gold does not have.
OTHER_BOX = (17.75, 33.25, 401.5, 555.5)
#: Words of others that no answer of a blind session may hold.
SECRETS = (
    *ANNOTATORS,
    *("Verdigris note", "Cerulean question", "classic-1", "guideline gap"),
    *("17.75", "33.25", "401.5", "555.5"),
)
#: Parts of JSON that speak of others' work.
PARTS_OF_WORK = (
    *("candidates", "supporters", "votes", "based_on", "guideline_flag", "decided_at", "annotators", "opinions"),
)
PEOPLE = {
    "rev1": (Role.REVIEWER,),
    "rev2": (Role.REVIEWER, Role.ANNOTATOR),
    "free": (Role.REVIEWER,),
    "boss": (Role.LEAD,),
    "ann": (Role.ANNOTATOR,),
}
#: Figures of the blind phase, in their order; "plain" is in none.
BLIND = ("f1", "f2", "f3")


def blind_home(path: Path, *, given: str = "gold") -> Home:
    """f1, f2: settled with two subfigures; f3: rejected; plain: open, and in no blind phase.

    Blind tasks on f1 to f3 for rev1, rev2 and boss. rev2 annotated f1 in phase 1; free settled f1, and rev1 f2.
    """
    shutil.copytree(_template(given), path, dirs_exist_ok=True)
    return Home.find(path)


@cache
def _template(given: str) -> Path:
    """The campaign, made once a process and copied for each test."""
    folder = Path(tempfile.mkdtemp(prefix="blind-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    home = Home.create(folder / "campaign", name="Lungs")
    (home.path / FILE_NAME).write_text(TOML.format(given=given).replace("'", '"'), encoding="utf-8")
    home = Home.find(home.path)
    with pytest.MonkeyPatch.context() as patch, home.open_store() as store:
        patch.setattr(people, "_hasher", CHEAP)
        _fill(home, store)
    return home.path


def _fill(home: Home, store: Store) -> None:
    gold = (
        a_subfigure("B", box=RIGHT, tokens=SECRET_TEXTS[1]),
        a_subfigure("A", box=LEFT, tokens=SECRET_TEXTS[0]),
    )
    with store.transaction() as tx:
        for name in (*BLIND, "plain"):
            Image.new("RGB", (800, 600), "white").save(home.images / f"{name}.png")
            figure = a_figure(name, references=("See Fig 1.",))
            tx.figures.add(figure)
            tx.predictions.put(a_prediction(figure))
            for number, who in enumerate(ANNOTATORS):
                tokens = (4, 6, 7) if number else (4, 6)
                drawn = (a_subfigure("A", box=OTHER_BOX, tokens=tokens), a_subfigure("B", box=RIGHT, tokens=(10,)))
                tx.annotations.add(an_annotation(figure, annotator=who, subfigures=drawn))
        tx.annotations.add(an_annotation(a_figure("f1", references=("See Fig 1.",)), annotator="rev2"))
        for name, reviewer in (("f1", "free"), ("f2", "rev1")):
            tx.decisions.add(
                a_decision(
                    a_figure(name, references=("See Fig 1.",)),
                    reviewer=reviewer,
                    subfigures=gold,
                    based_on=(ANNOTATORS[0],),
                    note="Verdigris note",
                    guideline_flag="Cerulean question",
                    error_kind=ErrorKind.GAP,
                )
            )
        tx.decisions.add(
            a_decision(
                a_figure("f3", references=("See Fig 1.",)), reviewer="free", status=Status.REJECTED, subfigures=()
            )
        )
    score_disagreement(store, home.campaign)
    for name, roles in PEOPLE.items():
        people.add_person(store, name, roles=roles, password=PASSWORD)
    with store.transaction() as tx:
        tx.tasks.add([Task(figure, who, "2") for who in ("rev1", "rev2", "boss") for figure in BLIND])
