import pytest

from prelabel.captions.sentences import is_last_note, is_legend, is_note, mentions_measures, sentences


def cut(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentences(text)]


def test_sentences_end_at_stops_but_not_after_abbreviations() -> None:
    assert cut("Oak vs. ash. Leaves of Q. robur (cf. Fig. 2). Why? See e.g. Smith et al. 2009.") == [
        "Oak vs. ash.",
        "Leaves of Q. robur (cf. Fig. 2).",
        "Why?",
        "See e.g. Smith et al. 2009.",
    ]


def test_sentences_end_before_a_marker_and_at_a_new_line() -> None:
    assert cut("Oak.(B) Ash.c Elm\nBirch") == ["Oak.", "(B) Ash.", "c Elm", "Birch"]
    assert cut("Kept at 4 °C. Next.") == ["Kept at 4 °C.", "Next."]


@pytest.mark.parametrize(
    "text",
    ["Scale bars, 5 mm.", "Bar = 1 cm.", "Error bars show SD.", "Data are means.", "n = 3.", "*p < 0.05.",
     "All data were pooled.", "The scale bar is 1 mm.", "Bars represent the mean.", "Student's t-test.",
     "Different letters mark groups.", "Data information: see Methods.", "Original magnification, x40.",
     "Experiments were done three times.", "Reproduced with permission."],
)  # fmt: skip
def test_notes_are_told(text: str) -> None:
    assert is_note(text)


@pytest.mark.parametrize(
    "text",
    ["Roots of oak.", "Bar chart of heights.", "Bars represent days to flowering.", "The box in red is a root.",
     "Note that oak is tall.", "Photosynthesis of oak."],
)  # fmt: skip
@pytest.mark.slow
def test_what_is_seen_is_no_note(text: str) -> None:
    assert not is_note(text)


def test_abbreviations_are_notes_at_the_end_and_enumerations_are_not() -> None:
    assert is_last_note("WT, wild type; KO, knockout.")
    assert is_last_note("WT: wild type.")
    assert not is_last_note("Oaks, and to a lesser extent, ashes, grew.")


def test_legends_and_measures_are_told() -> None:
    assert is_legend("Dashed lines are fitted.")
    assert is_legend("Red and blue dots are plots.")
    assert not is_legend("Roots of oak.")
    assert mentions_measures("Shown are means ± SD.")
    assert not mentions_measures("Shown are roots.")
