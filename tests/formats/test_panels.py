"""Panels that sentences name."""

from __future__ import annotations

import pytest

from panelwise.formats.articles.citations import panels_named


@pytest.mark.parametrize(
    ("label", "sentences", "panels"),
    [
        (
            "",
            ["It fell (Figure 2A).", "See Figs. 1 and 2.", "Fig. 2b, c; Fig. 1D."],
            [("A",), (), ("B", "C")],
        ),
        ("Figure 1", ["See Fig. 1D and Fig. 2B.", "Fig. 2A alone."], [("D",), ()]),
        ("Scheme 3", ["Scheme 3A-C and Figure 3D."], [("A", "B", "C")]),
        ("(a)", ["Fig. 4B twice: Fig. 4B."], [("B",)]),
        ("", ["No figure is cited."], [()]),
        ("", [], []),
    ],
)
def test_sentences_name_panels_of_their_own_figure(
    label: str, sentences: list[str], panels: list[tuple[str, ...]]
) -> None:
    assert panels_named(sentences, label) == tuple(panels)


@pytest.mark.parametrize(
    ("sentence", "panels"),
    [
        ("Roots grew (Fig. 2A, e.g. in oak).", ("A",)),
        ("Roots grew (Figs. 2A, B and i.e. in oak).", ("A", "B")),
        ("As in Fig. 2A, C. elegans grows.", ("A",)),
        ("It fell (Fig. 2B, n = 5) and rose (Fig. 2C, P<0.05).", ("B", "C")),
        ("See Fig. 2A, B-cell counts, and Fig. 2C, T cells.", ("A", "C")),
        ("In Fig. 2 E. coli grows.", ()),
        # Panels with parts, ranges and the end of a sentence stay.
        ("Fig. 2A-ii, B-iv and C.", ("A", "B", "C")),
        ("Fig. 2A, B. The rest is in Fig. 2 D, F.", ("A", "B", "D", "F")),
    ],
)
def test_abbreviations_species_and_statistics_are_no_panels(sentence: str, panels: tuple[str, ...]) -> None:
    assert panels_named([sentence], "Fig. 2") == (panels,)
