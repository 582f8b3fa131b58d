"""Help: a link on every screen, to the page of the bundled documentation that fits it."""

from __future__ import annotations

import re

import pytest
from conftest import REPOSITORY
from flask import Flask
from markupsafe import escape
from test_docs import anchors
from web.conftest import SignIn

from annotator.web.app.access import ROUTES
from annotator.web.help.pages import DOCUMENTATION, NoSuchPage, anchor_of, file_of, page, sections
from annotator.web.help.targets import TARGETS
from panelwise.domain.campaign import Role
from panelwise.domain.glossary import GLOSSARY

#: Pages without a sign-in, and what they answer to a form.
OPEN = {"login.sign_in", "login.submit", "account.welcome", "account.accept"}


def test_every_screen_has_a_page_of_help() -> None:
    screens = {endpoint for endpoint, rule in ROUTES.items() if rule.page} | OPEN
    assert screens - TARGETS.keys() == set()
    assert set(TARGETS) <= ROUTES.keys()


@pytest.mark.parametrize("target", sorted(set(TARGETS.values())))
def test_a_page_of_help_and_its_heading_exist(target: str) -> None:
    name, _, anchor = target.partition("#")
    assert (DOCUMENTATION / name).is_file()
    assert not anchor or anchor in anchors(DOCUMENTATION / name)


@pytest.mark.parametrize(
    "name", sorted(str(each.relative_to(DOCUMENTATION)) for each in DOCUMENTATION.rglob("*.md"))
)
def test_every_page_shows_without_a_script_and_all_its_links_lead_somewhere(app: Flask, name: str) -> None:
    client = app.test_client()
    answer = client.get(f"/help/{name}")
    assert answer.status_code == 200
    text = re.search(r"<article.*</article>", answer.text, re.DOTALL)
    assert text
    assert "<script" not in text[0]
    assert " style=" not in text[0].replace('style="text-align', "")
    for address in set(re.findall(r'(?:href|src)="(/[^"#]*)', text[0])):
        wanted = 401 if "openapi" in address else 200
        assert client.get(address).status_code == wanted, address
    for other, anchor in re.findall(r'href="/help/([^"#]*)#([^"]+)"', text[0]):
        assert f'id="{anchor}"' in client.get(f"/help/{other}").text


@pytest.mark.parametrize(
    "name", ["nope.md", "../pyproject.toml", "../README.md", "images", "index", "%2e%2e/README.md"]
)
def test_nothing_but_pages_of_the_documentation_is_shown(app: Flask, name: str) -> None:
    assert app.test_client().get(f"/help/{name}").status_code == 404
    assert app.test_client().get(f"/help/pictures/{name}").status_code == 404


def test_a_file_that_is_no_page_is_refused() -> None:
    with pytest.raises(NoSuchPage, match=r'no page "reference/openapi\.json"'):
        file_of("reference/openapi.json", {".md"})


@pytest.mark.parametrize(
    ("name", "address", "target"),
    [
        ("rev1", "/", "/help/how-to/work-through-the-queue.md"),
        ("rev1", "/agreement", "/help/explanation/reading-the-agreement-report.md"),
        ("lead", "/campaign/jobs", "/help/how-to/run-a-campaign.md#in-the-browser"),
        ("ann", "/tasks", "/help/annotator.md"),
        ("ann", "/nothing-here", "/help/index.md"),
        ("", "/login", "/help/how-to/accounts.md#passwords"),
    ],
)
def test_the_header_of_a_page_leads_to_its_help(sign_in: SignIn, name: str, address: str, target: str) -> None:
    assert f'id="help" href="{target}"' in sign_in(name).get(address).text


def test_the_screen_of_a_figure_knows_its_help(sign_in: SignIn) -> None:
    assert 'data-help-url="/help/reviewer.md"' in sign_in("rev1").get("/figures/f1").text


@pytest.mark.parametrize(
    ("name", "first", "headings"),
    [("ann", "annotator.md", ["Annotator"]), ("rev1", "reviewer.md", ["Annotator", "Reviewer"])],
)
def test_people_get_the_pages_of_their_role_first(
    sign_in: SignIn, name: str, first: str, headings: list[str]
) -> None:
    client = sign_in(name)
    assert client.get("/help/").location == f"/help/{first}"
    assert re.findall(r"<summary>(.*)</summary>", client.get(f"/help/{first}").text) == headings


@pytest.mark.parametrize("name", ["lead", ""])
def test_leads_and_strangers_get_all_contents(sign_in: SignIn, name: str) -> None:
    assert sign_in(name).get("/help/").location == "/help/index.md"
    assert [each.heading for each in sections({Role.LEAD, Role.ANNOTATOR})] == [
        *("Start", "Lead", "Annotator", "Reviewer", "Administrator", "Researcher", "Developer")
    ]


def test_headings_have_anchors_as_in_the_repository(app: Flask) -> None:
    assert anchor_of("Who may open what?") == "who-may-open-what"
    with app.test_request_context():
        assert '<h2 id="a-figure-in-panelwise">A figure in Panelwise</h2>' in page("annotator.md").body


@pytest.mark.parametrize(
    ("address", "terms"),
    [
        ("/", {"figure"}),
        (
            "/agreement",
            {"iaa", "pooled", "macro", "score", "f1", "figure", "kappa", "ac1", "alpha", "iou"},
        ),
    ],
)
def test_terms_are_explained_where_they_stand(sign_in: SignIn, address: str, terms: set[str]) -> None:
    html = sign_in("lead").get(address).text
    marked = re.findall(r'<button type="button" class="term" popovertarget="term-(\w+)">', html)
    assert terms <= set(marked)
    assert len(marked) == len(set(marked))  # a meaning has one id
    for key in marked:
        assert f'id="term-{key}" popover role="note">{escape(GLOSSARY[key].meaning)}</span>' in html


def test_every_term_of_the_glossary_is_marked_somewhere() -> None:
    folders = ("annotator/web/templates", "agreement/report/html/templates")
    texts = [file.read_text(encoding="utf-8") for each in folders for file in (REPOSITORY / each).glob("*.html")]
    marked = {key for text in texts for key in re.findall(r'\bterm\("(\w+)"', text)}
    assert marked == set(GLOSSARY)


def test_terms_look_and_open_alike_on_pages_and_in_the_report_which_is_one_file_of_its_own() -> None:
    page = (REPOSITORY / "annotator/web/static/pages.css").read_text(encoding="utf-8")
    report = (REPOSITORY / "agreement/report/html/templates/report.css").read_text(encoding="utf-8")
    rules = page[page.index("\n.term {") :].strip()
    assert ".meaning[popover]" in rules
    assert rules in report
    macros = [
        re.search(
            r"{% macro term\(.*?%}(.*?){%- endmacro %}", (REPOSITORY / file).read_text(encoding="utf-8"), re.DOTALL
        )
        for file in ("annotator/web/templates/terms.html", "agreement/report/html/templates/parts.html")
    ]
    assert len({macro[1].strip() for macro in macros if macro}) == 1
    assert None not in macros
