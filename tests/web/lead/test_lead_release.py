"""The release dialog: what it says before, and what it stores and starts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from builders import a_decision, a_subfigure
from flask.testing import FlaskClient
from items_cases import a_qa_figure, judged
from services.test_uploads import png
from web.lead_client import client, ended, send, version_of

from annotator.campaign.home import Home
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import jobs_of
from annotator.store.store import Store
from panelwise.domain.items import HumanAnswer, Items, QAVerdict, Verdict
from panelwise.settings.campaign_toml import FILE_NAME
from panelwise.settings.release_table import Author

AUTHORS = {
    "author_name": ["Müller", "Example Society", ""],
    "author_forenames": ["Anna", "", ""],
    "author_orcid": ["0000-0001-2345-6789", "", ""],
    "author_affiliation": ["Lab [of lungs]", "", ""],
}


def adjudicate_f1(store: Store) -> None:
    with store.transaction() as tx:
        drawn = (a_subfigure("A", tokens=[0]),)
        tx.decisions.add(a_decision(tx.figures.get("f1"), subfigures=drawn))


def test_it_says_first_what_a_release_would_leave_out(home: Home, store: Store) -> None:
    lead = client(home, store)
    assert "Not possible now: there is no gold yet" in lead.get("/campaign/release").get_data(as_text=True)
    adjudicate_f1(store)
    page = " ".join(lead.get("/campaign/release").get_data(as_text=True).split())
    assert "<strong>1 figure</strong> of the gold; left out: 1 untouched." in page
    assert "<strong>No images</strong>: 1 of 1 figure has no licence." in page
    assert "Not possible now" not in page
    assert client(home, store, "rev").get("/campaign/release").status_code == 403


def test_title_licences_and_authors_are_stored_before_the_release_is_made(home: Home, store: Store) -> None:
    adjudicate_f1(store)
    lead = client(home, store)
    form = {"title": 'Lungs "2026"', "licence": "CC-BY-4.0", "figure_licence": "CC0-1.0", **AUTHORS}
    version = version_of(lead.get("/campaign/release").get_data(as_text=True))
    assert lead.post("/campaign/release", data={**form, "version": version, "what": "save"}).status_code == 302
    release = Home.find(home.path).settings.release
    assert (release.title, release.licence, release.figure_licence) == ('Lungs "2026"', "CC-BY-4.0", "CC0-1.0")
    orcid = "https://orcid.org/0000-0001-2345-6789"
    assert release.authors == (Author("Müller", "Anna", orcid, "Lab [of lungs]"), Author("Example Society"))
    assert jobs_of(home) == []
    page = lead.get("/campaign/release").get_data(as_text=True)
    assert 'value="Lab [of lungs]"' in page
    assert "Licences of the figures: CC0-1.0 (1 figure)." in " ".join(page.split())
    # What was not changed stays, and the form's other values are stored before the job starts.
    data = {**form, "title": "", "version": version_of(page), "name": "pilot", "note": "first"}
    assert "/campaign/jobs/" in lead.post("/campaign/release", data=data).location
    assert ended(home).state is JobState.DONE
    (folder,) = (home.path / "releases").glob("001-*")
    assert "Anna Müller" in (folder / "LICENSE").read_text("utf-8")
    assert Home.find(home.path).settings.release.title == ""


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"name": "bad name"}, "is not a valid release name"),
        ({"name": "x" * 65}, "is not a valid release name"),
        ({"name": ""}, "a release needs a name"),
        ({"author_forenames": "Jo"}, "authors[0].name"),
        ({"author_name": "Doe", "author_orcid": "12"}, "orcid"),
        ({"title": "new", "version": "older"}, "somebody else has saved other settings"),
    ],
)
def test_what_the_form_refuses_starts_no_job(home: Home, store: Store, wrong: dict[str, str], what: str) -> None:
    adjudicate_f1(store)
    lead = client(home, store)
    version = version_of(lead.get("/campaign/release").get_data(as_text=True))
    answer = lead.post("/campaign/release", data={"name": "pilot", "version": version, **wrong})
    assert answer.status_code == 422
    assert what in answer.get_data(as_text=True)
    assert jobs_of(home) == []


def test_a_name_that_is_used_is_refused_before_the_job_by_both_forms(home: Home, store: Store) -> None:
    adjudicate_f1(store)
    lead = client(home, store)
    lead.post("/campaign/release", data={"name": "pilot"})
    ended(home)
    assert "already exists" in lead.post("/campaign/release", data={"name": "PILOT"}).get_data(as_text=True)
    lead.post("/campaign/jobs", data={"kind": "release", "name": "Pilot"})
    assert "already exists" in lead.get("/campaign/jobs").get_data(as_text=True)
    assert len(jobs_of(home)) == 1


def test_licence_and_article_are_asked_at_the_import(home: Home, store: Store) -> None:
    lead = client(home, store)
    record = b'{"figure_id": "n1", "caption": "x", "image": "n1.png"}'
    upload = send(lead, {"figures.jsonl": record, "n1.png": png()})
    lead.post(f"{upload}/import?licence=CC-BY-4.0&document=--doi:10/x")
    assert ended(home).state is JobState.DONE, ended(home).log()
    with store.read() as tx:
        assert dict(tx.figures.get("n1").source) == {"licence": "CC-BY-4.0", "document": "--doi:10/x"}


def test_answered_figures_are_not_called_untouched(home: Home, store: Store) -> None:
    (home.path / FILE_NAME).write_text(
        'name = "C"\nlabels = ["A"]\n[[phases]]\nname = "asked"\ntask_type = "human-eval"\n'
    )
    figure = a_qa_figure("asked")
    with store.transaction() as tx:
        tx.figures.add(figure)
        said = Items(answers=(HumanAnswer("q1", "0.7"),))
        tx.annotations.add(judged(figure, said, annotator="ann", phase="asked"))
    lead = client(home, store)
    assert left_out(lead) == "1 answered, 2 untouched"
    with store.transaction() as tx:
        tx.sent_back.add(figure.id, "asked", "ann", "rev", "Answer all.", datetime.now(UTC).replace(microsecond=0))
    assert left_out(lead) == "1 answered, 2 untouched"
    dashboard = lead.get("/dashboard").text
    assert ">Status of 3 figures:</span> 1 answered, 2 untouched</p>" in dashboard
    # No reviewer has anything to do in such a campaign, and nothing is pre-labelled.
    for words in ("Time remaining", "Adjudication time", "Reviewers</h2>", "Adjudicated"):
        assert words not in dashboard
    states = [lead.get(f"/campaign/figures/{name}").text for name in ("asked", "f1")]
    assert [">answered</span>" in page for page in states] == [True, False]
    assert [">not answered</span>" in page for page in states] == [False, True]
    assert "there is nothing to pre-label" in lead.get("/campaign/jobs").text


def test_a_release_without_boxes_counts_pairs_not_subfigures(home: Home, store: Store) -> None:
    figure = a_qa_figure("asked")
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.decisions.add(
            a_decision(figure, subfigures=(), items=Items(verdicts=(QAVerdict("q1", Verdict.CORRECT),)))
        )
    lead = client(home, store)
    lead.post("/campaign/release", data={"name": "pilot"})
    assert "1 figure (1 adjudicated, 0 unanimous, 0 single), 1 pair\n" in ended(home).log()


def left_out(lead: FlaskClient) -> str:
    return lead.get("/campaign/release").text.partition("left out: ")[2].partition(".</li>")[0]
