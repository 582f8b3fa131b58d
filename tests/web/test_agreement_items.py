"""The agreement page of figure types, question-answer pairs and people's answers."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner
from items_cases import TOML, a_qa_figure, edited, judged, kinds, verdicts
from web.asking import ANNOTATORS
from web.conftest import SignIn

from annotator.campaign.home import Home
from annotator.cli.agreement.main import group
from annotator.store.store import Store
from panelwise.domain.items import HumanAnswer, Items

FIGURE = a_qa_figure("q1")


@pytest.fixture
def home(home: Home) -> Home:
    (home.path / "campaign.toml").write_text(TOML, encoding="utf-8")
    return Home.find(home.path)


@pytest.fixture(autouse=True)
def _work(home: Home, store: Store) -> None:
    """Two who differ on a pair and on the types; one who answers the questions."""
    first, second = ANNOTATORS[:2]
    with store.transaction() as tx:
        tx.figures.add(FIGURE)
        wrong = edited(FIGURE, "q1", answer="0.75")
        tx.annotations.add(judged(FIGURE, verdicts(FIGURE, wrong), annotator=first, phase="qa"))
        tx.annotations.add(judged(FIGURE, verdicts(FIGURE), annotator=second, phase="qa"))
        tx.annotations.add(judged(FIGURE, kinds(True, 2), annotator=first, phase="types"))
        tx.annotations.add(judged(FIGURE, kinds(False, 1, "tree"), annotator=second, phase="types"))
        answer = Items(answers=(HumanAnswer("q1-q1", "never that"),))
        tx.annotations.add(judged(FIGURE, answer, annotator=first, phase="eval"))


def told_by_command(home: Home, phase: str) -> dict[str, object]:
    done = CliRunner().invoke(group, ["report", "--home", str(home.path), "--phase", phase, "--format", "json"])
    assert done.exit_code == 0, done.output
    found: dict[str, object] = json.loads(done.stdout)["items"]
    return found


def row(page: str, table: str, name: str) -> list[float]:
    """The exact numbers of a row."""
    body = page.partition(f'id="{table}"')[2].partition("</table>")[0]
    found = next(each for each in body.split("<tr>") if f'<th scope="row">{name}' in each)
    return [float(value) for value in re.findall(r'<data [^>]*value="([^"]+)"', found)]


def test_the_page_begins_with_the_newest_phase_that_has_something_to_compare(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    def shown() -> str:
        return (
            sign_in("rev1").get("/agreement").text.partition('aria-current="page">Phase ')[2].partition("</a>")[0]
        )

    # Answers are compared to the gold, also one person's.
    assert shown() == "eval"
    file = home.path / "campaign.toml"
    text = file.read_text("utf-8")
    file.write_text(text + '[[phases]]\nname = "late"\ntask_type = "figure-qa"\n', encoding="utf-8")
    with store.transaction() as tx:
        tx.annotations.add(judged(FIGURE, verdicts(FIGURE), annotator=ANNOTATORS[0], phase="late"))
    assert shown() == "eval"
    with store.transaction() as tx:
        tx.annotations.add(judged(FIGURE, verdicts(FIGURE), annotator=ANNOTATORS[1], phase="late"))
    assert shown() == "late"


def test_the_verdicts_are_the_reports_and_boxes_are_not_spoken_of(sign_in: SignIn, home: Home) -> None:
    page = sign_in("rev1").get("/agreement?phase=qa").text
    report = told_by_command(home, "qa")["verdicts"][-1]
    values = row(page, "verdicts", "All types")
    assert values == pytest.approx([report[key] for key in ("observed", "fleiss_kappa", "gwet_ac1", "alpha")])
    assert values[0] < 1.0
    assert 'id="iaa"' not in page
    assert "1 of 14 verdicts found a pair incorrect" in page


def test_types_are_told_with_how_far_counts_differ(sign_in: SignIn) -> None:
    page = sign_in("rev1").get("/agreement?phase=types").text
    assert row(page, "kinds", "Compound or not")[0] == 0.0
    assert "subfigures differ by" in page


def test_answers_stand_beside_the_gold(sign_in: SignIn) -> None:
    page = sign_in("rev1").get("/agreement?phase=eval").text
    assert row(page, "answers", "All types")[0] == 0.0


def test_nobody_is_named(sign_in: SignIn) -> None:
    client = sign_in("rev1")
    for phase in ("qa", "types", "eval"):
        page = client.get(f"/agreement?phase={phase}").text
        assert not any(name in page for name in ANNOTATORS)


def test_work_on_subfigures_is_told_as_before(sign_in: SignIn) -> None:
    page = sign_in("rev1").get("/agreement?phase=1").text
    assert 'id="iaa"' in page
    assert 'id="verdicts"' not in page
