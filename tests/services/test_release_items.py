"""The documents of a release without subfigures: they say what it holds, by kind, with its agreement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from items_cases import a_qa_figure, edited, judged, kinds, verdicts

from annotator.campaign.home import Home
from annotator.gold.dataset.check import faults, table_rows
from annotator.gold.dataset.kinds import held
from annotator.gold.release import make_release
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.domain.items import HumanAnswer, Items
from panelwise.domain.kinds import SUBFIGURES

#: Every test makes a release.
pytestmark = pytest.mark.slow

TOML = """name = "Charts"
labels = ["A"]
quorum = 2
"""


def released(path: Path, phases: str, work: list[Annotation], figure: Figure) -> dict[str, str]:
    """Return the text of each document of a release of one figure. phases: name = task_type, one a line."""
    tables = [f'[[phases]]\nname = "{line}"\ntask_type = "{line}"\n' for line in phases.split()]
    home = Home.create(path / "campaign", settings=TOML + "".join(tables))
    store: Store = home.open_store()
    with store.transaction() as tx:
        tx.figures.add(figure)
        for annotation in work:
            tx.annotations.add(annotation)
    release = make_release(home, store, "pilot").release
    assert list(faults(release)) == []
    store.close()
    names = ("README.md", "DATASHEET.md", "croissant.json", ".zenodo.json")
    return {name: (release.path / name).read_text("utf-8") for name in names}


def test_a_release_of_question_answer_pairs_says_so_with_the_agreement_of_verdicts(tmp_path: Path) -> None:
    figure = a_qa_figure("f1")
    changed = verdicts(figure, edited(figure, "q1", answer="0.75"))
    work = [judged(figure, changed, annotator=name, phase="figure-qa") for name in ("ann1", "ann2")]
    texts = released(tmp_path, "figure-qa", work, figure)
    said = "Scientific figures with question-answer pairs that people judged and corrected."
    card = table_rows(texts["README.md"])
    assert said in texts["README.md"]
    assert said in texts["DATASHEET.md"]
    assert json.loads(texts["croissant.json"])["description"] == said
    assert json.loads(texts[".zenodo.json"])["keywords"] == ["scientific-figures", "figure-question-answering"]
    assert "task_categories: [visual-question-answering]" in texts["README.md"]
    assert "IoU" not in texts["README.md"]
    assert "Boxes are" not in texts["README.md"]
    assert (card["Question-answer pairs"], card.get("Subfigures"), card.get("Figure types")) == ("7", None, None)
    place = "Phase figure-qa, released figures: question-answer verdicts"
    assert card[f"{place}, judged by two or more"] == "7"
    assert card[f"{place}, observed agreement"] == "1.000"
    assert f"{place}, observed agreement: 1.000" in texts["DATASHEET.md"]


def test_a_release_of_figure_types_says_so(tmp_path: Path) -> None:
    figure = a_qa_figure("f1", pairs=())
    work = [
        judged(figure, kinds(True, 2, "line chart"), annotator=name, phase="figure-types")
        for name in ("ann1", "ann2")
    ]
    texts = released(tmp_path, "figure-types", work, figure)
    card = table_rows(texts["README.md"])
    assert "Scientific figures with the type of each figure and its number of subfigures." in texts["README.md"]
    assert "task_categories: [image-classification]" in texts["README.md"]
    assert (card["Figure types"], card.get("Question-answer pairs")) == ("1", None)
    assert card["Phase figure-types, all figures: compound or not, observed agreement"] == "1.000"
    assert card["Phase figure-types, all figures: number of subfigures, observed agreement"] == "1.000"


def test_answers_of_human_evaluation_are_counted_and_compared_to_the_gold(tmp_path: Path) -> None:
    figure = a_qa_figure("f1")
    changed = verdicts(figure, edited(figure, "q1", answer="0.75"))
    names = [pair.id for pair in figure.imported.pairs]
    work = [judged(figure, changed, annotator=name, phase="figure-qa") for name in ("ann1", "ann2")]
    answers = Items(answers=tuple(HumanAnswer(name, "0.75") for name in names))
    work.append(judged(figure, answers, annotator="ann3", phase="human-eval", minutes=5))
    texts = released(tmp_path, "figure-qa human-eval", work, figure)
    card = table_rows(texts["README.md"])
    assert "pairs that people judged and corrected, and people's own answers" in texts["README.md"]
    assert card["Answers by people"] == "7"
    assert card["Phase human-eval, all figures: answers by people"] == "7"
    # The gold's answer of q1 is 0.75, though it came as 0.8.
    assert card["Phase human-eval, released figures: answers equal to the gold"] == "0.143"


def test_a_release_of_a_kind_that_this_version_does_not_know_is_refused_not_described_as_subfigures() -> None:
    manifest = {"campaign": {"phases": [{"task_type": "figure-remarks"}]}, "counts": {"subfigures": 0}}
    with pytest.raises(FormatError, match='the task type "figure-remarks", which this version does not know'):
        held(manifest)
    # Releases from before phases were listed hold subfigures.
    assert held({"campaign": {}, "counts": {}}) == (SUBFIGURES,)
