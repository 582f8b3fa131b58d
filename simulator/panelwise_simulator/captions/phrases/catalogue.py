"""The phrases of every drawer, by its name."""

from __future__ import annotations

from collections.abc import Mapping

from panelwise_simulator.captions.phrases.language import Phrases
from panelwise_simulator.captions.phrases.tables import read_panels, read_table

RADIOLOGY = read_panels("radiology")
HISTOLOGY = read_panels("histology")
MICROSCOPY = read_panels("microscopy")
PHOTOGRAPHS = read_panels("photographs")
GELS = read_panels("gels")
CHARTS = read_panels("charts")
CURVES = read_panels("curves")
DISTRIBUTIONS = read_panels("distributions")
MATRICES = read_panels("matrices")
DIAGRAMS = read_panels("diagrams")
MAPS = read_panels("maps")

PHRASES: dict[str, Phrases] = {
    **RADIOLOGY,
    **HISTOLOGY,
    **MICROSCOPY,
    **PHOTOGRAPHS,
    **GELS,
    **CHARTS,
    **CURVES,
    **DISTRIBUTIONS,
    **MATRICES,
    **DIAGRAMS,
    **MAPS,
}

#: Drawers of pictures with a scale, of numbers with an error, and of pictures of patients.
SCALED = frozenset({*HISTOLOGY, *MICROSCOPY, "plant_photo", "specimen_photo", "petri_dish", "leaf_photo"})
NUMBERS = frozenset({*CHARTS, *CURVES, *DISTRIBUTIONS} - {"pie", "venn", "spectrum", "chromatogram", "trace"})
CLINICAL = frozenset({*RADIOLOGY, "skin_photo"})
PICTURES = frozenset({*RADIOLOGY, *HISTOLOGY, *MICROSCOPY, *PHOTOGRAPHS, *GELS})

#: In a word or two, for lists of what a figure shows.
SHORT: Mapping[str, str] = read_table("short_names")

#: Of a drawer that no list knows.
_OTHER = Phrases(
    ("{representative |}{result|example} of {treatment}", "{measure} of {sample}"),
    ("{result|example} for {@group}",),
    ("{a {clear}|no} effect of {treatment}",),
    ("~{Details|Further examples} are given in the text.",),
)


def phrases_of(drawer: str) -> Phrases:
    """The phrases of a drawer; general ones where its name is unknown."""
    return PHRASES.get(drawer, _OTHER)
