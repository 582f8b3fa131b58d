"""`annotator corpus statistics`: numbers counted by hand, each kind of source, each layout."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation
from running import Done, run_command

from annotator.campaign.home import Home
from annotator.campaign.templates import NOT_MEDICAL
from annotator.cli.campaign.main import group as annotator
from annotator.corpus import statistics
from annotator.corpus.statistics import FORMATS, Statistics, jaccard, statistics_of
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Gold, GoldSource, Provenance
from panelwise.domain.items import FigureKind, Items
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.medicat import gold_record

FIGURES = [
    {
        "figure_id": "f1",
        "caption": "A lung, left.",
        "references": ["The left lung is shown.", "See Fig. 1."],
        "source": {"document": "PMC1"},
        "type": "radiology",
    },
    {"figure_id": "f2", "caption": "Cells.", "source": {"document": "PMC1", "year": 2020}, "type": "histology"},
    {
        "figure_id": "f3",
        "caption": "",
        "references": ["Text."],
        "source": {"document": "PMC2"},
        "type": "radiology",
    },
]
PLOTS = [
    "Tokens in a caption",
    "Inline references of a figure",
    "Tokens in the reference text of a figure",
    "Overlap of caption and reference text, %",
    "Figures of a paper",
    "Year of the article",
    "Types",
]
PROVENANCE = Provenance(GoldSource.ADJUDICATED, "rev1", ("ann1",), NOON)
THREE = tuple(
    a_subfigure(label, box=(place, 0, place + 9, 9), tokens=tokens)
    for label, place, tokens in (("A", 0, (1,)), ("B", 10, (2,)), ("C", 20, ()))
)


def values(source: Path) -> dict[str, float | None]:
    problems = Problems()
    *_, statistics = statistics_of(source, problems)
    assert problems.lines == []
    return {row.key: row.value for row in statistics.rows()}


def table(*arguments: object) -> Done:
    return run_command(annotator, "annotator", "corpus", "statistics", *arguments)


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    write_lines(tmp_path / "figures.jsonl", FIGURES)
    return tmp_path / "figures.jsonl"


def test_the_numbers_of_a_file_of_figures(figures: Path) -> None:
    assert values(figures) == {
        "papers": 2,
        "figures": 3,
        "figures_per_paper": 1.5,
        "references_per_figure": 1.0,
        "caption_tokens": (5 + 2) / 2,
        "with_references": pytest.approx(2 / 3),
        "reference_tokens": (6 + 5 + 2) / 2,
        "sentence_tokens": pytest.approx(13 / 3),
        # a, lung, left | the, left, lung, is, shown, see, fig, 1
        "overlap": pytest.approx(2 / 9),
        "type radiology": pytest.approx(2 / 3),
        "type histology": pytest.approx(1 / 3),
    }


def test_gold_has_the_numbers_of_its_subfigures(tmp_path: Path) -> None:
    golds = [
        Gold(a_figure("f1"), Status.ACCEPTED, THREE, PROVENANCE, Items(FigureKind(types=frozenset({"tree"})))),
        Gold(a_figure("f2"), Status.ACCEPTED, THREE[:1], PROVENANCE),
        Gold(a_figure("f3"), Status.REJECTED, (), PROVENANCE),
    ]
    write_lines(tmp_path / "gold.jsonl", map(gold_record, golds))
    found = values(tmp_path / "gold.jsonl")
    assert found["figures"] == 3
    expected = {
        "annotated": 2,
        "compound": 0.5,
        "subfigures": 3.0,
        "pairs": 3,
        "with_subcaption": 0.75,
        "type tree": 1,
    }
    assert {key: found[key] for key in expected} == expected


def test_shares_of_a_sample_have_its_size_and_an_interval(tmp_path: Path) -> None:
    judged = [
        *(FigureKind(True, 2, frozenset({"radiology", "histology"})) for _ in range(6)),
        *(FigureKind(False, 1, frozenset({"radiology"})) for _ in range(3)),
        FigureKind(False, 1, frozenset({NOT_MEDICAL})),
    ]
    statistics = Statistics()
    for number, kind in enumerate(judged):
        figure = a_figure(f"f{number}")
        statistics.add_figure(figure)
        statistics.add_work(Gold(figure, Status.ACCEPTED, (), PROVENANCE, Items(kind)))
    rows = {row.key: row for row in statistics.rows()}
    assert {key: rows[key].value for key in ("judged_compound", "medical", "type radiology")} == {
        "judged_compound": 0.6,
        "medical": 0.9,
        "type radiology": 0.9,
    }
    assert (rows["medical"].sample, rows["medical"].paper, rows["judged_compound"].paper) == (10, 0.93, 0.75)
    # Wilson's interval of 9 of 10 and of 6 of 10, as in tables.
    assert rows["medical"].interval == pytest.approx((0.5958, 0.9821), abs=1e-3)
    assert rows["judged_compound"].interval == pytest.approx((0.3127, 0.8318), abs=1e-3)
    assert (rows["figures"].sample, rows["figures"].interval) == (None, None)
    written = json.loads(FORMATS["json"](statistics, "t"))["statistics"]
    assert written["medical"]["sample"] == 10
    assert written["medical"]["interval"] == pytest.approx(list(rows["medical"].interval))
    assert "sample" not in written["figures"]


def test_a_home_counts_all_figures_and_the_subfigures_of_its_gold(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home")
    with home.open_store() as store, store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.figures.add(a_figure(name, references=("One.",)))
        tx.annotations.add(an_annotation(a_figure("f1")))
        tx.decisions.add(a_decision(a_figure("f1")))
    found = values(home.path)
    assert (found["figures"], found["papers"], found["annotated"], found["pairs"]) == (2, 1, 1, 2)
    assert found["references_per_figure"] == 1.0


def test_the_table_is_beside_the_paper_in_each_layout(figures: Path, tmp_path: Path) -> None:
    markdown = table(figures).stdout
    assert "| Figures per paper | 1.5 | 1.7 |" in markdown
    assert "| Type: histology | 33.3 % (95 % CI 6.1 to 79.2, n = 3) | 13.0 % |" in markdown
    assert "| Tokens in a reference | 4.3 |  |" in markdown
    assert r"Figures with reference text & 66.7 \% & 74.0 \% \\" in table(figures, "--format", "latex").stdout
    out = tmp_path / "table.json"
    assert table(figures, "--format", "json", "--out", out).returncode == 0
    written = json.loads(out.read_text(encoding="utf-8"))["statistics"]
    assert written["figures"] == {"name": "Figures", "value": 3, "paper": 217060}


@pytest.mark.parametrize("drawn", [True, False])
def test_the_page_has_the_table_and_a_plot_of_each_distribution(
    figures: Path, monkeypatch: pytest.MonkeyPatch, drawn: bool
) -> None:
    if drawn:
        pytest.importorskip("matplotlib")
    else:
        monkeypatch.setattr(statistics, "can_draw", lambda: False)
    done = table(figures, "--format", "html")
    assert done.returncode == 0
    assert '<th scope="row">Figures per paper</th><td>1.5</td><td>1.7</td>' in done.stdout
    assert ("No plots" in done.stdout) == (not drawn)
    named = re.findall(r'<img src="data:image/svg\+xml;base64,[\w+/=]{1000,}" alt="([^"]+)">', done.stdout)
    assert named == (PLOTS if drawn else [])


def test_distributions_have_the_sums_of_the_table(figures: Path) -> None:
    *_, statistics = statistics_of(figures, Problems())
    spreads = {each.name: dict(counts) for each, counts in statistics.spreads.items()}
    assert spreads == {
        "CAPTIONS": {5: 1, 2: 1},
        "REFERENCES": {2: 1, 0: 1, 1: 1},
        "TEXTS": {11: 1, 2: 1},
        "OVERLAPS": {22: 1},
        "PAPERS": {2: 1, 1: 1},
        "SUBFIGURES": {},
        "YEARS": {2020: 1},
    }


def test_a_corpus_without_captions_or_articles_divides_by_nothing(tmp_path: Path) -> None:
    write_lines(tmp_path / "figures.jsonl", [{"figure_id": "f1"}])
    found = values(tmp_path / "figures.jsonl")
    assert (found["figures"], found["papers"]) == (1, 0)
    assert found["figures_per_paper"] is None
    assert found["caption_tokens"] is None


def test_bad_sources_and_lines_are_named_in_one_line(figures: Path, tmp_path: Path) -> None:
    with figures.open("ab") as file:
        file.write(b"{}\n")
    done = table(figures)
    assert done.returncode == 1
    assert "| Figures | 3 | 217,060 |" in done.stdout
    first, second = done.stderr.splitlines()
    assert f"{figures}:4" in first
    assert second.endswith('without a caption: 1 figure, the first "f3"')
    for bad in (tmp_path / "missing.jsonl", tmp_path):
        done = table(bad)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)


def test_overlap_is_of_words_without_case_and_punctuation() -> None:
    assert jaccard(["The", "Lung", "."], ["lung", ",", "left"]) == pytest.approx(1 / 3)
    assert jaccard(["."], []) == 0.0
