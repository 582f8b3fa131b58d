"""`annotator corpus sample`: proportions of strata, repeatable draws, draws that never overlap."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from running import run_command

from annotator.cli.campaign.main import group as annotator
from annotator.corpus.selection.exclusions import Exclusions
from annotator.corpus.selection.figure_lines import figure_of, figure_types
from annotator.corpus.selection.sample import Draw, Drawn, sample
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Problems, read_lines, write_lines

#: 60 figures: 30 of 2018, 20 of 2019, 10 of 2020.
YEARS = [2018] * 30 + [2019] * 20 + [2020] * 10
FIGURES = [
    {"figure_id": f"f{n:02}", "source": {"document": f"PMC{n // 4}", "year": year, "journal": "AB"[n % 2]}}
    for n, year in enumerate(YEARS)
]


def drawn_at_once(folder: Path, draws: int, draw: Draw) -> list[Drawn]:
    """Draws with one log that begin together."""
    write_lines(folder / "figures.jsonl", FIGURES)
    begin = Barrier(draws)

    def one(number: int) -> Drawn:
        begin.wait()
        out = folder / f"out-{number}.jsonl"
        return sample(folder / "figures.jsonl", out, folder / "draws.jsonl", draw, Exclusions(), Problems())

    with ThreadPoolExecutor(draws) as pool:
        return list(pool.map(one, range(draws)))


def drawn_from(
    tmp_path: Path, draw: Draw, records: list[dict[str, Any]] = FIGURES, log: str = "draws.jsonl"
) -> Drawn:
    write_lines(tmp_path / "figures.jsonl", records)
    problems = Problems()
    drawn = sample(
        tmp_path / "figures.jsonl", tmp_path / "out.jsonl", tmp_path / log, draw, Exclusions(), problems
    )
    assert problems.lines == []
    lines = read_lines(tmp_path / "out.jsonl", problems)
    written = [figure_of(line, problems).figure_id for line in lines]
    assert written == drawn.figure_ids
    return drawn


@pytest.mark.parametrize("seed", range(5))
def test_each_stratum_has_its_proportion(tmp_path: Path, seed: int) -> None:
    drawn = drawn_from(tmp_path, Draw(12, ("year", "journal"), seed))
    years = Counter(YEARS[int(name[1:])] for name in drawn.figure_ids)
    assert years == {2018: 6, 2019: 4, 2020: 2}
    assert sum(count for _, _, count in drawn.strata) == 12
    assert all(abs(count - available / 5) < 2 for _, available, count in drawn.strata)


def test_a_draw_depends_on_the_seed_and_not_on_the_order_of_lines(tmp_path: Path) -> None:
    first = drawn_from(tmp_path, Draw(12, ("article",), 1), log="1.jsonl")
    again = drawn_from(tmp_path, Draw(12, ("article",), 1), FIGURES[::-1], log="2.jsonl")
    other = drawn_from(tmp_path, Draw(12, ("article",), 2), log="3.jsonl")
    assert sorted(again.figure_ids) == first.figure_ids != other.figure_ids


def test_draws_with_one_log_never_overlap_until_no_figure_is_left(tmp_path: Path) -> None:
    draws = [drawn_from(tmp_path, Draw(20, ("year",), 7)) for _ in range(3)]
    assert Counter(name for each in draws for name in each.figure_ids) == Counter(
        str(each["figure_id"]) for each in FIGURES
    )
    assert [each.available for each in draws] == [60, 40, 20]
    with pytest.raises(AnnotatorError, match="has 0 figures to draw from, after 60 of earlier draws"):
        drawn_from(tmp_path, Draw(1))


@pytest.mark.slow
def test_each_figure_is_as_likely(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in range(60):
        counts.update(drawn_from(tmp_path, Draw(12, ("journal",), seed), log=f"{seed}.jsonl").figure_ids)
    # 12 expected; the seeds are fixed, so this never varies.
    assert len(counts) == 60
    assert max(counts.values()) < 25


@pytest.mark.parametrize(
    ("content", "problem"),
    [('{"seed": 1}\n', "is no draw"), ('{"figure_ids": [1]}\n', "not a text"), ('{"figure_i', "not valid JSON")],
)
def test_a_damaged_log_stops_the_draw(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "draws.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=problem):
        drawn_from(tmp_path, Draw(2))
    assert not (tmp_path / "out.jsonl").exists()


def test_the_types_of_a_figure_are_those_of_annotations_or_of_the_record() -> None:
    assert figure_types({"kind": {"types": ["tree", "graph"]}}) == ["graph", "tree"]
    assert figure_types({"type": "CT"}) == ["CT"]
    assert figure_types({"kind": None}) == []


def test_the_command_reports_the_draw_and_leaves_out_what_lists_name(tmp_path: Path) -> None:
    write_lines(tmp_path / "figures.jsonl", [*FIGURES, {"caption": "no id"}])
    (tmp_path / "ids.txt").write_text("PMC0\n", encoding="utf-8")
    out = tmp_path / "sample.jsonl"
    done = run_command(
        annotator,
        *("annotator", "corpus", "sample", tmp_path / "figures.jsonl", "--out", out, "--figures", 5),
        *("--by", "year", "--exclude-list", tmp_path / "ids.txt"),
    )
    assert done.returncode == 1
    assert "figures.jsonl:61" in done.stderr
    log = tmp_path / "figures.draws.jsonl"
    assert done.stdout.splitlines() == [
        "drew 5 of 56 figures with seed 0, by year (3 strata)",
        f"added the draw to {log}; later draws with this log have other figures",
    ]
    (entry,) = read_lines(log, Problems())
    assert (entry.record["by"], len(entry.record["figure_ids"])) == (["year"], 5)


def test_draws_at_one_moment_with_one_log_never_overlap(tmp_path: Path) -> None:
    drawn = drawn_at_once(tmp_path, 4, Draw(15, ("year",), seed=3))
    assert sorted(name for each in drawn for name in each.figure_ids) == [each["figure_id"] for each in FIGURES]


def test_figures_of_medicats_release_are_drawn_by_article(tmp_path: Path) -> None:
    records = [
        {"pdf_hash": f"{paper:02x}", "fig_uri": f"{n}-Figure{n}-1.png", "s2_caption": "CT"}
        for paper in range(10)
        for n in range(3)
    ]
    drawn = drawn_from(tmp_path, Draw(10, ("article",)), records)
    assert {values[0]: count for values, _, count in drawn.strata} == {f"{paper:02x}": 1 for paper in range(10)}
    assert all(line.record in records for line in read_lines(tmp_path / "out.jsonl", Problems()))
