"""Jobs in campaigns of every template: a form offers what its campaign can do, and says why not otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import a_decision, a_figure, an_annotation
from click.testing import CliRunner
from PIL import Image

from annotator.campaign.home import Home
from annotator.campaign.templates import TEMPLATES, initial_texts
from annotator.cli.agreement.main import group as agreement
from annotator.cli.campaign.main import group as annotator
from annotator.cli.prelabel import group as prelabel
from annotator.jobs import commands
from annotator.jobs.commands import EXPORTS, JobKind, possible_jobs, start
from annotator.jobs.jobs import WORKER, Attempt
from annotator.store.store import Store
from annotator.sync.projects import assigned
from panelwise.domain.campaign import Task
from panelwise.domain.errors import AnnotatorError, InvalidAnnotation

PROGRAMS = {"campaign": annotator, "prelabel": prelabel, "agreement": agreement}
FORMS = [
    *((JobKind.EXPORT, {"what": what}) for what in EXPORTS),
    (JobKind.EXPORT, {"what": "gold", "single": "1"}),
    (JobKind.RELEASE, {"name": "pilot"}),
    (JobKind.RELEASE, {"name": "pilot", "images": "1", "note": "first"}),
    (JobKind.REPORT, {}),
    (JobKind.REPORT, {"phase": ""}),
    (JobKind.REPORT, {"names": "pseudonyms"}),
    (JobKind.REPORT, {"phase": "", "latex": "1"}),
    (JobKind.CHECK, {}),
    (JobKind.PRELABEL, {}),
    (JobKind.BACKUP, {}),
]


def a_campaign(folder: Path, template: str, worked_phases: int, *, annotators: int = 2) -> tuple[Home, Store]:
    """Two figures; `annotators` people submitted the same work on both in the first phases."""
    reviewers = () if template == "human-eval" else ("rev1",)
    names = ("ann1", "ann2")
    settings, guidelines = initial_texts(template, "Trial", annotators=names, reviewers=reviewers)
    home = Home.create(folder / "campaign", settings=settings, guidelines=guidelines)
    store = home.open_store()
    with store.transaction() as tx:
        for figure in (a_figure("f1"), a_figure("f2")):
            Image.new("RGB", (800, 600), "white").save(home.images / f"{figure.id}.png")
            tx.figures.add(figure)
            for phase in home.campaign.phases[:worked_phases]:
                for name in names[:annotators]:
                    tx.annotations.add(an_annotation(figure, annotator=name, phase=phase.name))
    return home, store


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Exit status and output of each command of the jobs started, which run in this process."""
    results: list[tuple[int, str]] = []

    def start_job(home: Home, kind: str, title: str, make_commands, by: str, attempt: Attempt) -> None:
        files = home.path / "jobs" / "files"
        files.mkdir(parents=True, exist_ok=True)
        for _python, _c, code, *words in make_commands(files):
            program = next(PROGRAMS[name] for name in PROGRAMS if f".{name}" in code)
            done = CliRunner().invoke(program, words)
            results.append((done.exit_code, f"{words}: {done.output} {done.exception!r}"))

    monkeypatch.setattr(commands, "start_job", start_job)
    return results


@pytest.mark.slow
@pytest.mark.parametrize("worked_phases", [0, 1, 2])
@pytest.mark.parametrize("template", ["", *TEMPLATES])
def test_no_form_starts_a_command_that_its_campaign_refuses(
    template: str, worked_phases: int, tmp_path: Path, ran: list[tuple[int, str]]
) -> None:
    started, refused = 0, []
    for number, (kind, form) in enumerate(FORMS):
        # A campaign of its own each: a release or a backup changes what the next one finds.
        home, store = a_campaign(tmp_path / str(number), template, worked_phases)
        try:
            start(home, store, kind, "lea", form)
            started += 1
        except InvalidAnnotation as error:
            refused.append((kind, str(error)))
        store.close()
    assert [output for status, output in ran if status] == []
    may_be_refused = {JobKind.RELEASE, JobKind.REPORT}
    if template == "human-eval":
        may_be_refused.add(JobKind.PRELABEL)
        assert any(kind is JobKind.PRELABEL for kind, _ in refused)
    assert {kind for kind, _ in refused} <= may_be_refused
    assert all(reason.startswith("there ") for _, reason in refused)
    assert started >= sum(kind not in may_be_refused for kind, _ in FORMS)


@pytest.mark.parametrize("template", ["", *TEMPLATES])
@pytest.mark.parametrize("released", [None, False, True])
def test_tasks_are_pushed_exactly_where_the_command_would_find_any(
    template: str, released: bool | None, tmp_path: Path
) -> None:
    home, store = a_campaign(tmp_path, template, 0)
    if released is not None:
        with store.transaction() as tx:
            tx.tasks.add([Task("f1", "ann1", home.campaign.phases[0].name, released=released)])
    refused = possible_jobs(home, store).refused
    try:
        assigned(store, None, None, home.campaign)
        finds = True
    except AnnotatorError:
        finds = False
    assert (JobKind.PUSH not in refused, JobKind.PULL not in refused) == (finds, finds)
    store.close()


def test_the_report_is_of_the_newest_phase_in_which_annotators_share_figures(tmp_path: Path) -> None:
    home, store = a_campaign(tmp_path, "figure-types", 1)
    first, second = (phase.name for phase in home.campaign.phases)
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(tx.figures.get("f1"), annotator="ann1", phase=second))
    possible = possible_jobs(home, store)
    assert (possible.phases, possible.phase) == ((first, second), first)
    with store.transaction() as tx:
        tx.annotations.add(an_annotation(tx.figures.get("f1"), annotator="ann2", phase=second))
    assert possible_jobs(home, store).phase == second
    store.close()


@pytest.mark.parametrize(
    ("template", "models"),
    [
        ("subfigures", ("detector", "text-crf", "box-crf")),
        ("figure-types", ("classifier",)),
        # Its last phase of pairs asks for types, too.
        ("figure-qa", ("classifier",)),
        ("human-eval", ()),
    ],
)
def test_only_models_that_learn_what_the_phases_ask_for_are_trained(
    template: str, models: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WORKER, "1")  # torch need not be here
    home, store = a_campaign(tmp_path, template, 1)
    assert possible_jobs(home, store).models == models
    if template in ("figure-types", "figure-qa"):
        with pytest.raises(InvalidAnnotation, match="there are no subfigures to train a detector on"):
            start(home, store, JobKind.TRAIN, "lea", {"model": "detector", "name": "x"})
    store.close()


def test_work_of_one_annotator_is_measured_in_its_newest_phase(tmp_path: Path) -> None:
    home, store = a_campaign(tmp_path, "figure-types", 2, annotators=1)
    assert possible_jobs(home, store).phase == home.campaign.phases[1].name
    store.close()


def test_all_phases_have_a_report_each_under_names_that_files_can_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, store = a_campaign(tmp_path, "", 0)
    with store.transaction() as tx:
        for phase in ("a/b", "a b", "ok"):
            tx.annotations.add(an_annotation(tx.figures.get("f1"), phase=phase))
    made: list[list[str]] = []
    monkeypatch.setattr(commands, "start_job", lambda _home, _kind, _title, make, *_: made.extend(make(tmp_path)))
    start(home, store, JobKind.REPORT, "lea", {"phase": ""})
    assert [words[words.index("--phase") + 1] for words in made] == ["a b", "a/b", "ok"]
    outs = [Path(words[words.index("--out") + 1]) for words in made]
    assert [out.name for out in outs] == ["agreement-a-b.html", "agreement-a-b-2.html", "agreement-ok.html"]
    assert {out.parent for out in outs} == {tmp_path}
    store.close()


def test_a_campaign_without_figures_offers_only_what_needs_none(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "empty")
    with home.open_store() as store:
        refused = possible_jobs(home, store).refused
        assert {kind for kind, why in refused.items() if why == "there are no figures yet"} == {
            JobKind.PRELABEL,
            JobKind.EXPORT,
        }
        assert set(JobKind) - set(refused) == {JobKind.IMPORT, JobKind.CHECK, JobKind.BACKUP}
        for kind in (JobKind.PRELABEL, JobKind.EXPORT):
            with pytest.raises(InvalidAnnotation, match="there are no figures yet"):
                start(home, store, kind, "lea", {"what": "gold"})


def test_human_evaluation_alone_is_never_released_and_says_why(tmp_path: Path) -> None:
    home, store = a_campaign(tmp_path, "human-eval", 2)
    refused = possible_jobs(home, store).refused
    assert "there is no gold in a campaign of human evaluation alone" in refused[JobKind.RELEASE]
    assert JobKind.REPORT not in refused
    with store.transaction() as tx:
        tx.decisions.add(a_decision(tx.figures.get("f1")))
    assert JobKind.RELEASE not in possible_jobs(home, store).refused
    store.close()
