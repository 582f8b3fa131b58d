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
