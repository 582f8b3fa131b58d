"""Jobs on the lead's pages: started, shown, cancelled, and their files for leads only."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import a_figure, an_annotation
from web.lead_client import PASSWORD, client, ended

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.gold.exports import registry
from annotator.jobs.commands import EXPORTS, JobKind, start
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import job_of, start_job
from annotator.store.store import Store
from panelwise.domain.campaign import Role
from panelwise.domain.errors import InvalidAnnotation


def test_jobs_are_started_shown_cancelled_and_give_their_files_to_leads_only(home: Home, store: Store) -> None:
    lead = client(home, store)
    assert lead.post("/campaign/jobs", data={"kind": "shell"}).status_code == 400
    for data in ({"kind": "export", "what": "secret.key"}, {"kind": "release", "name": " "}):
        assert "alert" in lead.post("/campaign/jobs", data=data, follow_redirects=True).get_data(as_text=True)
    code = "import sys, pathlib; pathlib.Path(sys.argv[1], 'a.txt').write_text('made')"
    start_job(home, "test", "A <b>test</b>", lambda files: [["python3", "-c", code, str(files)]], "lea")
    assert ended(home).state is JobState.DONE
    page = lead.get("/campaign/jobs").get_data(as_text=True)
    assert "A &lt;b&gt;test" in page
    with lead.get("/campaign/jobs/1/files/a.txt") as answer:
        assert answer.get_data() == b"made"
    missing = ("jobs/2", "jobs/1/files/request.json", "jobs/1/files/..%2Frequest.json", "releases/x/gold.jsonl")
    assert [lead.get(f"/campaign/{each}").status_code for each in missing] == [404] * 4
    assert lead.post("/campaign/jobs/9/cancel").status_code == 404
    assert client(home, store, "rev").get("/campaign/jobs/1/files/a.txt").status_code == 403


def test_a_report_asks_for_its_phase_and_what_cannot_start_says_why(home: Home, store: Store) -> None:
    lead = client(home, store)
    page = lead.get("/campaign/jobs").get_data(as_text=True)
    assert "Not possible now: there are no annotations yet." in page
    assert "Not possible now: there is no gold yet" in page
    refused = lead.post("/campaign/jobs", data={"kind": "report"}, follow_redirects=True)
    assert "there are no annotations yet." in refused.get_data(as_text=True)
    with store.transaction() as tx:
        tx.figures.add(a_figure("g1"))
        for phase in ("1", "2"):
            for name in ("ann1", "ann2"):
                tx.annotations.add(an_annotation(a_figure("g1"), annotator=name, phase=phase))
    page = lead.get("/campaign/jobs?phase=1").get_data(as_text=True)
    choices = re.search(r'<select name="phase">(.*?)</select>', page, re.DOTALL)
    assert choices is not None
    assert re.findall(r'value="(.*?)"( selected)?', choices[1]) == [("1", " selected"), ("2", ""), ("", "")]
    assert "Not possible now: there are no annotations yet." not in page
    assert "/campaign/jobs?phase=2#report" in lead.get("/agreement").get_data(as_text=True)
    assert "/campaign/jobs" not in client(home, store, "rev").get("/agreement").get_data(as_text=True)


@pytest.mark.parametrize(("field", "names"), [({}, "real"), ({"names": "pseudonyms"}, "pseudonyms")])
def test_a_report_has_names_or_numbers_as_its_form_asks(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch, field: dict[str, str], names: str
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("g1"))
        for name in ("ann1", "ann2"):
            tx.annotations.add(an_annotation(a_figure("g1"), annotator=name, phase="1"))
    commands: list[list[str]] = []

    def start_job(
        home: Home, kind: JobKind, title: str, make: Callable[[Path], list[list[str]]], *_: object
    ) -> None:
        commands.extend(make(home.path))

    monkeypatch.setattr("annotator.jobs.commands.start_job", start_job)
    start(home, store, JobKind.REPORT, "lea", field)
    (command,) = commands
    assert command[command.index("--names") + 1] == names
    # LaTeX has pseudonyms unless real names are asked for, which no form does.
    commands.clear()
    start(home, store, JobKind.REPORT, "lea", {**field, "latex": "1"})
    (with_latex,) = commands
    assert Path(with_latex[with_latex.index("--latex") + 1]).name == "agreement-1-latex.zip"
    assert ("--names" in with_latex) == (names == "pseudonyms")
    assert 'name="names" value="pseudonyms"' in client(home, store).get("/campaign/jobs").get_data(as_text=True)
    with pytest.raises(InvalidAnnotation, match='"none" is not one of pseudonyms, real'):
        start(home, store, JobKind.REPORT, "lea", {"names": "none"})


def test_every_format_of_the_command_is_exported_by_a_job() -> None:
    assert set(EXPORTS) == {each.name for each in registry.EXPORTS}


def test_a_running_job_shows_how_far_it_is_and_how_long_it_takes_yet(home: Home, store: Store) -> None:
    lead = client(home, store)
    code = "import time; print('pre-labelling: 5 of 20', flush=True); time.sleep(600)"
    job = start_job(home, "test", "Runs", lambda _files: [[sys.executable, "-c", code]], "lea")
    page = ""
    while "5 of 20" not in page:
        page = lead.get("/campaign/jobs/1").get_data(as_text=True)
        time.sleep(0.05)
    assert "pre-labelling: 5 of 20" in lead.get("/campaign/jobs").get_data(as_text=True)
    # The start is stored in whole seconds: it may be none ago.
    time.sleep(1)
    assert re.search(r"5 of 20, <data[^>]*>[^<]+</data> left", lead.get("/campaign/jobs/1").get_data(as_text=True))
    lead.post(f"/campaign/jobs/{job.number}/cancel")
    assert ended(home).state is JobState.CANCELLED


def test_a_job_without_progress_says_that_it_starts_and_for_how_long_it_runs(home: Home, store: Store) -> None:
    lead = client(home, store)
    job = start_job(
        home, "test", "Silent", lambda _files: [[sys.executable, "-c", "import time; time.sleep(600)"]], "lea"
    )
    page = lead.get("/campaign/jobs/1").get_data(as_text=True)
    assert re.search(r"<dt>Running for</dt><dd[^>]*><data[^>]*>\d+ s</data>", page)
    assert '<span role="status">Starting</span>' in page
    assert "<td>starting</td>" in lead.get("/campaign/jobs").get_data(as_text=True)
    lead.post(f"/campaign/jobs/{job.number}/cancel")
    assert ended(home).state is JobState.CANCELLED
    assert "<dt>Took</dt>" in lead.get("/campaign/jobs/1").get_data(as_text=True)


def test_pre_labelling_that_is_done_leads_to_the_figures(home: Home, store: Store) -> None:
    start_job(home, JobKind.PRELABEL, "Pre-labelling", lambda _files: [[sys.executable, "-c", ""]], "lea")
    assert ended(home).state is JobState.DONE
    page = client(home, store).get("/campaign/jobs/1").text
    assert re.search(r'href="/campaign/figures">See the figures', page)


@pytest.mark.parametrize("kind", ["prelabel", "export", "release", "report", "train"])
def test_a_job_that_an_empty_campaign_cannot_start_is_disabled_with_the_reason(tmp_path: Path, kind: str) -> None:
    home = Home.create(tmp_path / "empty")
    with home.open_store() as store:
        people.add_person(store, "lea", roles=[Role.LEAD], password=PASSWORD)
        page = client(home, store).get("/campaign/jobs").text
    assert re.search(rf'<button[^>]* disabled aria-describedby="why-{kind}"', page)
    assert re.search(rf'id="why-{kind}">Not possible now: there (is|are) no [^<]+\.</span>', page)


def test_a_report_opens_as_a_page_that_runs_and_loads_nothing_and_other_files_are_sent(
    home: Home, store: Store
) -> None:
    code = "import sys, pathlib; pathlib.Path(sys.argv[1], 'a.html').write_text('<p>A report')"
    for kind in (JobKind.REPORT, JobKind.EXPORT):
        job = start_job(home, kind, kind.value, lambda files: [[sys.executable, "-c", code, str(files)]], "lea")
        while job_of(home, job.number).state is JobState.RUNNING:
            time.sleep(0.02)
    lead = client(home, store)
    with lead.get("/campaign/jobs/1/files/a.html?open=1") as answer:
        assert "attachment" not in answer.headers.get("Content-Disposition", "")
        policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert policy.endswith("; sandbox")
    assert "script-src" not in policy
    for address in ("1/files/a.html", "2/files/a.html?open=1"):
        with lead.get(f"/campaign/jobs/{address}") as answer:
            assert answer.headers["Content-Disposition"].startswith("attachment")
    assert 'href="/campaign/jobs/1/files/a.html?open=1">Open a.html</a>' in lead.get("/campaign/jobs/1").text
    assert "Open a.html" not in lead.get("/campaign/jobs/2").text
