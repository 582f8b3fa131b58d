from __future__ import annotations

from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.primitives.settings import Settings
from agreement.report.full_report import Course, full_report
from agreement.report.text.parts import WIDTH
from agreement.report.text.report import report_text
from agreement.trends.drift import Grouping
from panelwise.domain.annotation import Annotation

QUICK = Settings(resamples=20)
WEEK = 7 * 24 * 60
LONG = "a name that is as long as a sentence, or longer"


def marked(
    figure: str,
    name: str,
    phase: str = "1",
    *,
    tokens: tuple[int, ...] = (4, 6),
    week: int = 0,
    seeded: bool = False,
) -> Annotation:
    return an_annotation(
        a_figure(figure),
        annotator=name,
        phase=phase,
        minutes=week * WEEK,
        subfigures=(a_subfigure(tokens=tokens),),
        seeded_by="model" if seeded else None,
    )


def falling(phase: str = "1", names: str = "AB") -> list[Annotation]:
    """Two figures a week, in five weeks, of which B gets more and more wrong."""
    texts = [(4, 6), (4, 6), (4, 7), (4, 7), (7, 10)]
    return [
        marked(f"f{week}{letter}", name, phase, tokens=texts[week] if name == "B" else (4, 6), week=week)
        for week in range(5)
        for letter in "xy"
        for name in names
    ]


def lines_of(annotations: list[Annotation], **options: Any) -> list[str]:
    text = report_text(full_report(annotations, QUICK, **options))
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    return lines


def section(lines: list[str], start: str) -> list[str]:
    first = next(number for number, line in enumerate(lines) if line.startswith(start))
    end = next((number for number in range(first, len(lines)) if not lines[number]), len(lines))
    return lines[first:end]


def test_drift_shows_each_week_with_its_interval_to_scale_and_the_trend() -> None:
    found = section(lines_of(falling()), "by week")
    assert found[0].split() == ["by", "week", "figures", "counted", "IAA", "95", "%", "CI", "0.00", "1.00"]
    assert [line.split()[:4] for line in found[1:6]] == [
        ["2026-W47", "2", "4", "1.000000"],
        ["2026-W48", "2", "4", "1.000000"],
        ["2026-W49", "2", "4", "0.500000"],
        ["2026-W50", "2", "4", "0.500000"],
        ["2026-W51", "2", "4", "0.000000"],
    ]
    strips = [line[65:] for line in found[1:6]]
    assert [strip.index("o") for strip in strips] == [14, 14, 7, 7, 0]
    assert found[6] == "  trend -0.2500 a week, -0.2500 to -0.2500; not 0"


def test_one_week_alone_is_named_in_one_line() -> None:
    assert section(lines_of(falling()[:4]), "by week") == ["by week            all in 2026-W47"]


@pytest.mark.parametrize(
    ("annotations", "by", "expected"),
    [
        (falling()[:2], Grouping.BATCH, ["by batch              -       (no scored figure names its batch)"]),
        ([], Grouping.WEEK, ["by week               -       (no figure was scored)"]),
        (
            falling(),
            Grouping.PART,
            ["in order of work"],
        ),
    ],
)
def test_periods_that_cannot_be_made_say_why(
    annotations: list[Annotation], by: Grouping, expected: list[str]
) -> None:
    found = section(lines_of(annotations, course=Course(by)), expected[0][:8])
    assert found[0].startswith(expected[0])


def test_figures_without_a_batch_and_batches_without_an_interval_are_told() -> None:
    batches = {"f0x": LONG, "f1x": "second", "f4x": "second"}
    found = section(lines_of(falling(), course=Course(Grouping.BATCH, batches=batches)), "by batch")
    assert found[1].startswith("  a name th~r longer       1       2 1.000000  -")
    assert "  -: one figure alone cannot be resampled" in found
    assert "  trend - (fewer than two periods with an IAA over two figures or more)" in found
    assert "scored figures of no period: 7" in found


def test_weeks_without_an_iaa_say_why_and_have_no_strip() -> None:
    undefined = [marked(f"n{n}", name, tokens=(), week=week) for n, week in enumerate((0, 1)) for name in "AB"]
    found = section(lines_of(undefined), "by week")
    assert found[0].split() == ["by", "week", "figures", "counted", "IAA", "95", "%", "CI"]
    assert found[1].split() == ["2026-W47", "1", "0", "-", "-"]
    assert found[3] == "  -: no gold subfigure with a counted token in the figures they share"
    found = section(lines_of([*undefined, *falling()[8:]]), "by week")
    assert found[0].split()[-2:] == ["0.00", "0.50"]
    assert [line[65:].strip() for line in found[1:6]] == ["", "", "o", "o", "o"]
    batches = {"n0": "b"}
    found = section(lines_of(undefined, course=Course(Grouping.BATCH, batches=batches)), "by batch")
    assert not any(line.startswith("  trend") for line in found)
    assert found[-2:] == ["scored figures of no period: 1", "  n1"]


def test_two_phases_stand_beside_each_other_with_what_differs() -> None:
    found = section(lines_of([*falling(), *falling("2", "AC")], phase="1", against="2"), "phase 1 beside 2")
    text = "\n".join(found)
    assert found[1] == "all work:"
    assert found[2].split()[:6] == ["1", "(2", "annotators)", "10", "20", "0.600000"]
    assert found[3].split()[:6] == ["2", "(2", "annotators)", "10", "20", "1.000000"]
    assert found[4].startswith("  1 minus 2")
    assert "-0.400000" in found[4]
    assert found[4].endswith("not 0")
    assert "the same figures:" in found
    assert "only A worked in both phases; a pair needs two" in text
    assert "annotators: A in both; B in 1 alone; C in 2 alone" in text


def test_phases_that_differ_by_nothing_say_that_it_could_be_0() -> None:
    found = section(lines_of([*falling(), *falling("2")], phase="1", against="2"), "phase 1 beside 2")
    assert sum(line.endswith("+0.000000 +0.0000 to +0.0000; could be 0") for line in found) == 3
    assert "  annotators: A, B in both" in found


def test_phases_that_share_nothing_say_why() -> None:
    found = section(lines_of(falling(), phase="1", against="9"), "phase 1 beside 9")
    assert found.count("  -: no annotations") == 1
    assert found.count("  -: no figure was scored in both phases") == 4
    assert "  annotators: A, B in 1 alone" in found
    found = section(lines_of([], against="9"), "phase - beside 9")
    assert found[2].split() == ["-", "(0", "annotators)", "0", "0", "-", "-"]
    assert "  annotators: none" in found
    one = [marked("f1", "A"), marked("f1", "B"), marked("f1", "A", "2"), marked("f1", "B", "2")]
    found = section(lines_of(one, phase="1", against="2"), "phase 1 beside 2")
    assert found.count("  -: one figure alone cannot be resampled") == 3


def test_a_figure_that_changed_between_the_phases_is_named() -> None:
    here = [marked("f1", name) for name in "AB"]
    there = [an_annotation(a_figure("f1", width=900), annotator=name, phase="2") for name in "AB"]
    text = "\n".join(lines_of([*here, *there], phase="1", against="2"))
    assert "figures left out: scored in both phases, on another caption, tokens or size: 1\n  f1" in text
    first, _, rest = text.partition("\nthe same figures:")
    told = "1 figure scored in both phases; 1 of them on another caption, tokens or size, left out below"
    assert " ".join(first.split()).endswith(told)
    assert "scored in both phases;" not in rest


def test_repeats_are_told_by_annotator() -> None:
    work = [*falling(), *falling("2", "B")[:4], marked("f4y", "B", "2", seeded=True)]
    found = section(lines_of(work, phase="1"), "self-agreement")
    assert found[0].split() == ["self-agreement", "phases", "score", "95", "%", "CI", "counted", "figures"]
    assert found[1].split() == ["A", "1", "-", "-", "0", "0"]
    assert found[2].split()[:5] == ["B", "1", "and", "2", "0.800000"]
    assert "  -: no figure of theirs in another phase too" in found
    assert " ".join(" ".join(found[-2:]).split()) == (
        "in 1 of these 5 repeats (one annotator's two annotations of a figure) one of the two, or both, "
        "began from a prediction"
    )


def test_where_nobody_did_anything_twice_one_line_says_so() -> None:
    expected = "self-agreement        -       (no other phase to have done a figure twice in)"
    assert section(lines_of(falling()), "self-agreement") == [expected]


def test_seeded_work_is_told_apart_over_all_and_by_pair() -> None:
    work = [*falling()[4:], *(marked(f"s{n}", name, seeded=True) for n in range(3) for name in "AB")]
    lines = lines_of(work)
    start = next(number for number, line in enumerate(lines) if line.startswith("seeded"))
    assert lines[start] == "seeded             6 of 22 annotations began from a prediction"
    assert lines[start + 1] == "  IAA where seeded 1.000000   1.0000 to 1.0000  3 figures"
    assert lines[start + 2].startswith("  IAA elsewhere    0.500000   ")
    assert lines[start + 2].endswith("8 figures")
    assert lines[start + 4].split() == ["A", "B", "1.000000", "3", "0.500000", "8"]
    alone = lines_of([marked("s1", name, seeded=True) for name in "AB"])
    assert "  IAA elsewhere       -       (no scored figure began from nothing)" in alone


def test_an_undefined_number_of_an_annotator_has_its_reason() -> None:
    found = section(lines_of([marked("f1", "A"), marked("f2", "B")]), "annotator ")
    assert found[-2:] == ["  -: no figure in common", "  -: no such pair of annotators"]
    lines = lines_of([marked("f1", "A")])
    assert "  pooled              -       (no gold subfigure counts)" in lines
    assert "  per figure          -       (no gold subfigure counts)" in lines
