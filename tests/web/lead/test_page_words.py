"""A lead's pages name forms where the messages of commands name options, commands and campaign.toml."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from builders import a_decision, a_subfigure, an_annotation
from web.lead_client import client, ended

from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web import factory
from annotator.web.screens.lead.page_words import in_page_words
from panelwise.domain.campaign import Task
from panelwise.settings.campaign_toml import FILE_NAME

#: An option, a command, or the file of settings.
TYPED = re.compile(
    r"(?<![\w-])--\w|campaign\.toml|"
    r"\b(?:annotator|prelabel|agreement) (?:assign|status|run|serve|push|pull|user)\b"
)


def alerts(page: str) -> str:
    return " ".join(re.findall(r'<p class="notice[^>]*>(.*?)</p>', page, re.DOTALL))


@pytest.mark.parametrize(
    ("message", "page"),
    [
        (
            "no annotators; choose some (--annotators a,b,c) or name them in campaign.toml",
            "no annotators; choose some, or name them in the settings",
        ),
        (
            '"ann" cannot take over from "ann"; name others with --to',
            '"ann" cannot take over from "ann"; choose others',
        ),
        ('"cho" has no open task of any phase; see annotator status', '"cho" has no open task of any phase'),
        (
            "2 of 3 figures are shared; to share more of those that are assigned already: "
            "annotator assign --phase 1 --overlap 3",
            "2 of 3 figures are shared; to share more of those that are assigned already, plan again with 3 under "
            '"Figures that several annotators do"',
        ),
        (
            "note: campaign.toml: [release] has no licence; add them and release again",
            "note: the dataset has no licence; fill in what is missing under Release the gold, and release again",
        ),
        (
            "note: campaign.toml: [release] has no licence and no authors; add them and release again",
            "note: the dataset has no licence and no authors; fill in what is missing under Release the gold, "
            "and release again",
        ),
        (
            "pairs.csv: 1 figure without question-answer pairs, which phase 1 asks about; import the pairs again "
            "with their figures (--qa FILE --revise)",
            "pairs.csv: 1 figure without question-answer pairs, which phase 1 asks about; import the pairs again "
            "with their figures and Replace, on the page Figures",
        ),
        (
            "x.png: no such image; put it there, or name its folder with --images",
            "x.png: no such image; add it to the upload",
        ),
        (
            '"ann" already has an account; change it with `annotator user password` or `annotator user roles`',
            '"ann" already has an account; change it in the list',
        ),
        (
            'no person "x" in this campaign; see `annotator user list`',
            'no person "x" in this campaign; choose one of the list',
        ),
        (
            'figure "f": its image is a URL, http://x/y.png; download it, or allow that with --allow-urls or '
            "allow_urls under [images] in campaign.toml",
            'figure "f": its image is a URL, http://x/y.png; download it, or allow that with allow_urls under '
            "[images] in the settings",
        ),
        (
            "left out 4 waiting for open tasks; pull them, or adjudicate without them: f1, f2",
            "left out 4 waiting for open tasks; wait for these, or adjudicate without them: f1, f2",
        ),
        (
            "note: \"ann\" has no e-mail; run annotator user email 'a b' ADDRESS, then annotator push",
            'note: "ann" has no e-mail; set it under People, then push the tasks again',
        ),
        (
            'http://x: no project for annotator "ann", phase "1"; run annotator push',
            'http://x: no project for annotator "ann", phase "1"; push the tasks again, under Jobs',
        ),
        (
            "note: without --secret, a restored campaign has new pseudonyms",
            "note: a campaign that is restored from this file has new pseudonyms",
        ),
        (
            "no task of any phase is assigned to anybody; run annotator assign --phase 1 --annotators a,b,c",
            "no task of any phase is assigned to anybody; assign figures under Assignment",
        ),
        ("box 3 of figure a -- b is empty", "box 3 of figure a -- b is empty"),
    ],
)
def test_a_message_names_forms(message: str, page: str) -> None:
    assert in_page_words(message) == page


@pytest.mark.parametrize(
    "form",
    [
        {"phase": "1", "people": "7"},
        {"phase": "9"},
        {"phase": "1", "annotator": "ann", "order": "uncertainty"},
        {"phase": "2", "annotator": "ann"},
    ],
)
def test_the_assignment_page_names_nothing_to_type(home: Home, store: Store, form: dict[str, str]) -> None:
    (home.path / FILE_NAME).write_text(
        'name = "C"\nlabels = ["A"]\n[[phases]]\nname = "1"\n[[phases]]\nname = "2"\nfigures_of = "1"\n'
    )
    said = alerts(client(home, store).get("/campaign/assignment", query_string=form).text)
    assert said
    assert not TYPED.search(said), said


@pytest.mark.parametrize("what", ["reassign", "withdraw"])
def test_changing_an_assignment_names_nothing_to_type(home: Home, store: Store, what: str) -> None:
    lead = client(home, store)
    form = {"phase": "1", "what": what, "name": "ann", "to": "ann"}
    said = alerts(lead.post("/campaign/assignment/change", data=form, follow_redirects=True).text)
    assert said
    assert not TYPED.search(said), said


def test_the_log_of_a_release_names_the_form(home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("f2", name, "1") for name in ("ann", "ben")])
        tx.annotations.add(an_annotation(tx.figures.get("f2"), annotator="ann", subfigures=()))
        tx.decisions.add(a_decision(tx.figures.get("f1"), subfigures=(a_subfigure("A", tokens=[0]),)))
    lead = client(home, store)
    lead.post("/campaign/release", data={"name": "pilot", "images": "1"})
    page = lead.get(f"/campaign/jobs/{ended(home).number}").text
    log = page.partition('<pre class="log"')[2]
    assert "the dataset has no licence and no authors; fill in what is missing under Release the gold" in log
    assert "see figure_licence" not in log
    assert "left out 1 waiting for open tasks; wait for these, or adjudicate without them: f2" in unescape(log)
    assert not re.search(r"; pull", log)
    assert not TYPED.search(log), log


@pytest.mark.parametrize("template", sorted((Path(factory.__file__).parent / "templates").glob("*.html")))
def test_no_page_names_a_command_where_it_has_a_form(template: Path) -> None:
    """Only what starts the whole campaign, and what is for a browser without scripts, is typed."""
    shown = re.sub(r"<noscript>.*?</noscript>", "", template.read_text("utf-8"), flags=re.DOTALL)
    commands = re.findall(r"<code>(annotator|agreement|prelabel) (?!up\b)([^<]*)", shown)
    assert commands == []
