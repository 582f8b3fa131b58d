"""Names in texts: what a terminal gets, how wide it is, and that no two look alike."""

from __future__ import annotations

import random
import unicodedata

import pytest
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.models.comparison import comparison
from agreement.primitives.settings import Settings
from agreement.report.full_report import Course, full_report
from agreement.report.text.comparison import comparison_text
from agreement.report.text.names import ShortNames, columns, letters, padded, shown, wrapped
from agreement.report.text.parts import NAME, WIDTH
from agreement.report.text.report import report_text
from agreement.trends.drift import Grouping
from panelwise.domain.annotation import Annotation

QUICK = Settings(resamples=5)
PEOPLE = [f"annotator.number{n}@hospital.example.org" for n in (1, 2, 3, 4, 11)]
#: Letters that break tables, terminals or both, and pieces that make names alike.
NASTY = [
    "\x1b[31m",
    "\n",
    "\t",
    "\r",
    "\x9b",
    "\u202e",
    "\u2066",
    "\u200d",
    "\u2028",
    "\ufeff",
    "\\n",
    "\\",
    "~",
    "#1",
]
WIDE = ["\u5c71\u7530", "\U0001f600", "e\u0301", "\u00e9", "\uff21", "\u0915\u093e", "  ", "="]
LIKE = ["a", "b", "annotator.number", "@hospital.example.org", "x" * 15, "1", "2"]
a_name = st.lists(st.sampled_from([*NASTY, *WIDE, *LIKE]), min_size=1, max_size=9).map(
    lambda parts: "n" + "".join(parts)
)
some_names = st.lists(a_name, min_size=2, max_size=7, unique=True)


def width_of(text: str) -> int:
    """Written anew, letter by letter."""
    return sum(
        0 if unicodedata.category(char) in ("Mn", "Me") else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def hold(text: str) -> None:
    """The text moves no terminal and fits it."""
    for line in text.split("\n"):
        assert width_of(line) <= WIDTH, line
        assert not [char for char in line if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")], line
        assert line == line.rstrip()
    assert text.endswith("\n")
    assert "\n\n\n" not in text


def work_of(names: list[str], figures: tuple[str, ...] = ("f1", "f2"), phase: str = "1") -> list[Annotation]:
    return [
        an_annotation(
            a_figure(figure),
            annotator=name,
            phase=phase,
            subfigures=(a_subfigure(tokens=(4, 6) if number % 2 else (4, 7)),),
            seeded_by="m" if number == 0 and figure == figures[0] else None,
        )
        for number, name in enumerate(names)
        for figure in figures
    ]


@pytest.mark.slow
@given(names=some_names, order=st.randoms(use_true_random=False), width=st.sampled_from([11, 16, 18, 33]))
@settings(max_examples=30, deadline=None)
def test_short_forms_are_unique_narrow_and_the_same_in_any_order(
    names: list[str], order: random.Random, width: int
) -> None:
    found = ShortNames(names, width)
    forms = [unicodedata.normalize("NFC", found.short(name)) for name in names]
    assert len(set(forms)) == len(names)
    assert all(width_of(form) <= width for form in forms)
    assert all(width_of(found.cell(name)) == width for name in names)
    order.shuffle(names)
    assert {name: ShortNames(names, width).short(name) for name in names} == {
        name: found.short(name) for name in names
    }
    legend = list(found.legend())
    cut = [name for name in names if found.short(name) != shown(name)]
    assert (legend[:1] == ["short forms:"]) is bool(cut)
    assert all(any(line.startswith(f"  {found.short(name)} =".rstrip()) for line in legend) for name in cut)


@pytest.mark.slow
@given(names=some_names, figures=st.lists(a_name, min_size=2, max_size=3, unique=True), phases=some_names)
@settings(max_examples=25, deadline=None)
def test_texts_hold_80_columns_and_move_no_terminal_whatever_names_are(
    names: list[str], figures: list[str], phases: list[str]
) -> None:
    here, there = phases[:2]
    one = work_of(names, tuple(figures), here)
    both = [*one, *work_of(names[1:], tuple(figures), there)]
    batches = dict(zip(figures, phases, strict=False))
    course = Course(Grouping.BATCH, batches=batches)
    hold(report_text(full_report(both, QUICK, phase=here, against=there, course=course)))
    gold = [each for each in one if each.annotator == names[0]]
    hold(comparison_text(comparison(gold, [each for each in one if each.annotator != names[0]], QUICK)))
    hold(comparison_text(comparison(gold, [each for each in one if each.annotator == names[-1]], QUICK)))
    hold(comparison_text(comparison(gold, [], QUICK)))


def test_long_names_that_would_look_alike_are_numbered_by_name() -> None:
    found = ShortNames(PEOPLE, NAME)
    assert {name: found.short(name) for name in sorted(PEOPLE)} == {
        "annotator.number11@hospital.example.org": "annotato~ple.org",
        "annotator.number1@hospital.example.org": "annotat~le.org#1",
        "annotator.number2@hospital.example.org": "annotat~le.org#2",
        "annotator.number3@hospital.example.org": "annotat~le.org#3",
        "annotator.number4@hospital.example.org": "annotat~le.org#4",
    }


def test_a_name_alone_keeps_its_beginning_and_end_and_one_that_fits_stays() -> None:
    found = ShortNames(["classic-1 (monday)", "ann1"], NAME)
    assert (found.short("classic-1 (monday)"), found.short("ann1")) == ("classic-~monday)", "ann1")
    assert list(found.legend()) == ["short forms:", "  classic-~monday) = classic-1 (monday)"]
    assert list(ShortNames(["ann1"], NAME).legend()) == []


def test_names_that_look_alike_are_numbered_and_told_apart_by_their_code_points() -> None:
    composed, apart = "Ren\u00e9", "Rene\u0301"
    found = ShortNames([composed, apart, "a\nb", "a\\nb"], NAME)
    assert len({unicodedata.normalize("NFC", found.short(name)) for name in (composed, apart)}) == 2
    assert found.short("a\nb") == "a\\nb"
    assert found.short("a\\nb") == "a\\nb#1"
    assert "  a\\nb#1 = a\\\\nb" in list(found.legend())


def test_a_short_form_is_nobody_s_name() -> None:
    long = "annotato" + "r" * 20 + "ple.org"
    found = ShortNames([long, "annotato~ple.org", "annotato~ple.o#1"], NAME)
    assert found.short("annotato~ple.org") == "annotato~ple.org"
    assert found.short(long) not in ("annotato~ple.org", "annotato~ple.o#1")


@pytest.mark.parametrize(
    ("raw", "escaped"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202etxt\u2066", "\\u202etxt\\u2066"),
        ("\ud800", "\\ud800"),
        ("M\u00fcller \u5c71", "M\u00fcller \u5c71"),
        ("back\\slash", "back\\slash"),
    ],
)
def test_what_a_terminal_obeys_is_shown_escaped(raw: str, escaped: str) -> None:
    assert shown(raw) == escaped
    assert shown(escaped) == escaped


def test_wide_letters_take_two_columns_and_combining_ones_none() -> None:
    assert [columns(text) for text in ("ab", "\u5c71", "e\u0301", "\U0001f600", "\uff21")] == [2, 2, 1, 2, 2]
    assert padded("\u5c71", 4) == "\u5c71  "
    assert letters("e\u0301\x1b\u5c71") == ["e\u0301", "\\x1b", "\u5c71"]


def test_lines_break_at_blanks_and_only_words_longer_than_a_line_within() -> None:
    assert list(wrapped("one two three", 9, rest="  ")) == ["one two", "  three"]
    assert list(wrapped("IAA   -   (reason)", 12, rest="    ")) == ["IAA   -", "    (reason)"]
    assert list(wrapped("ab " + "x" * 12, 8, first="  ", rest=" ")) == ["  ab xxx", " xxxxxxx", " xx"]
    assert list(wrapped("", 8)) == []


def test_tables_of_a_report_tell_long_names_apart_by_one_form_throughout() -> None:
    text = report_text(full_report(work_of(PEOPLE), QUICK, phase="1"))
    rows = [line for line in text.splitlines() if line.startswith("anno") and "~" in line]
    assert {row.split()[0] for row in rows} == {ShortNames(PEOPLE, NAME).short(name) for name in PEOPLE}
    assert text.count("short forms:\n") == 1
    assert "\n  annotat~le.org#1 = annotator.number1@hospital.example.org\n" in text


def test_ids_of_figures_that_are_cut_stay_apart_and_are_told() -> None:
    ids = tuple("campaign-2026-hospital-figure-" + f"{n:03}" + "-of-the-second-batch" for n in range(4))
    text = report_text(full_report(work_of(["a", "b"], ids), QUICK, phase="1"))
    assert "short forms of figures:" in text
    for number in range(4):
        assert text.count(f"-00{number}-of-the-second-batch\n") == 1


def test_columns_stay_where_they_are_below_wide_names() -> None:
    names = ["\u5c71\u7530\u592a\u90ce", "\U0001f600\U0001f600", "Rene\u0301", "plain", "\x1b[31mred"]
    text = report_text(full_report(work_of(names), QUICK, phase="1"))
    table = text.partition("\ngold  ")[2].partition("\n\n")[0].splitlines()[1:]
    assert len(table) == 20
    ends = set()
    for line in table:
        before = line.rpartition(" to ")[0]
        ends.add(width_of(before))
    assert len(ends) == 1
