"""What annotators read in Label Studio before they begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.campaign.home import Home
from annotator.sync.push import MOST_COMMENTS, Message, Messages, instructions
from panelwise.domain.campaign import Phase, TaskType

HUMAN = Phase("h", TaskType.HUMAN_EVAL)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home", labels=("A",))


def guide(home: Home, text: str) -> None:
    (home.path / home.campaign.guideline_file).write_text(text, encoding="utf-8")


def test_subfigures_without_guidelines_need_no_words(home: Home) -> None:
    assert instructions(home, Phase("1")) == ""


@pytest.mark.parametrize("task", [TaskType.FIGURE_TYPES, TaskType.FIGURE_QA, TaskType.HUMAN_EVAL])
def test_language_models_are_forbidden_on_every_screen_of_items(home: Home, task: TaskType) -> None:
    assert "Do not use language models to annotate." in instructions(home, Phase("p", task))


def test_the_full_paper_is_for_edge_cases_and_never_for_human_evaluation(home: Home) -> None:
    assert "Do not look into the full paper." in instructions(home, HUMAN)
    assert "in edge cases only" in instructions(home, Phase("q", TaskType.FIGURE_QA))


def test_guidelines_come_after_the_rules_without_markup_of_their_own(home: Home) -> None:
    guide(
        home,
        "# How\n\n3. *Look* <script>alert(1)</script>\n4. [there](https://example.org/?a=1&b=2)\n\n"
        "a\\\nb\n\n|x|\n|-|\n|1 < 2|\n\n[bad](javascript:alert(1))\n",
    )
    html = instructions(home, HUMAN)
    assert html.startswith("<h3>On this screen</h3><ul><li>")
    assert "<h1>How</h1>" in html
    assert '<ol start="3"><li><em>Look</em> &lt;script&gt;' in html
    assert '<a href="https://example.org/?a=1&amp;b=2">there</a>' in html
    assert "a<br>b" in html
    assert "<td>1 &lt; 2</td>" in html
    assert "javascript" not in html.replace("[bad](javascript:alert(1))", "")


def test_guidelines_alone_are_shown_for_subfigures(home: Home) -> None:
    guide(home, "Boxes are tight.\n")
    assert instructions(home, Phase("1")) == "<p>Boxes are tight.</p>"


def test_what_is_to_be_corrected_comes_first_as_plain_text(home: Home) -> None:
    guide(home, "Boxes are tight.\n")
    html = instructions(
        home, Phase("1"), Messages((Message(7, "http://ls/projects/3/data?task=7", "B <b>misses</b>"),))
    )
    assert html.startswith("<h3>To correct</h3><p>A reviewer sent")
    assert '<li><a href="http://ls/projects/3/data?task=7">Task 7</a>: B &lt;b&gt;misses&lt;/b&gt;</li>' in html
    assert html.endswith("<p>Boxes are tight.</p>")


def test_of_very_many_comments_the_newest_are_listed(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home")
    many = tuple(
        Message(number, f"http://ls/{number}", f"comment {number}.") for number in range(MOST_COMMENTS + 5)
    )
    text = instructions(home, Phase("1"), Messages(comments=many))
    assert text.count("<li>") == MOST_COMMENTS
    assert f"The newest {MOST_COMMENTS} are listed." in text
    assert "comment 4." not in text
    assert f"comment {MOST_COMMENTS + 4}." in text
    assert "are listed" not in instructions(home, Phase("1"), Messages(comments=many[5:]))
