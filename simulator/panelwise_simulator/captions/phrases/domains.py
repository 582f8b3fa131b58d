"""All domains, and which of them suits what is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from panelwise_simulator.captions.phrases.common import COMMON, COMMON_AXES, ORDERED, Domain, read_domain
from panelwise_simulator.captions.phrases.language import Dice, Topic

DOMAINS: dict[str, Domain] = {
    name: read_domain(name)
    for name in (
        "clinic",
        "oncology",
        "plant",
        "neuroscience",
        "cell",
        "microbiology",
        "materials",
        "ecology",
        "learning",
        "physics",
        "chemistry",
        "epidemiology",
    )
}

_LIFE = "oncology plant neuroscience cell microbiology"

#: For groups of drawers, the domains that show such things; the last of a line are drawers.
_AFFINITY: tuple[tuple[str, str, float], ...] = (
    (
        "ct_axial ct_coronal chest_xray limb_xray ultrasound angiogram fundus skin_photo",
        "clinic",
        6.0,
    ),
    ("mri_brain pet_scan", "clinic neuroscience", 5.0),
    ("tissue_stain tissue_close_up immunostain negative_control trichrome", "clinic oncology", 4.0),
    ("tissue_stain tissue_close_up", "plant", 0.8),
    ("fluorescence fluorescence_merge phase_contrast", "cell oncology neuroscience microbiology", 2.5),
    ("tissue_fluorescence", "neuroscience oncology cell", 3.0),
    ("electron_micrograph", "materials cell", 4.0),
    ("plant_photo leaf_photo", "plant ecology", 5.0),
    ("specimen_photo", "ecology plant clinic materials", 2.0),
    ("petri_dish", "microbiology plant", 4.0),
    ("apparatus_photo", "physics materials chemistry ecology", 3.0),
    ("landscape_photo site_map", "ecology", 5.0),
    ("choropleth", "epidemiology ecology", 5.0),
    ("site_map", "epidemiology", 1.5),
    ("immunoblot dot_blot dna_gel", "cell oncology", 4.0),
    ("immunoblot dna_gel sequence_alignment domain_structure", "plant microbiology cell", 2.5),
    ("survival forest_plot", "oncology epidemiology clinic", 2.5),
    ("roc_curve confusion_matrix", "learning", 4.0),
    ("roc_curve", "oncology epidemiology", 1.0),
    ("neural_net", "learning", 8.0),
    ("spectrum", "chemistry materials physics", 3.0),
    ("chromatogram", "chemistry", 5.0),
    ("trace", "neuroscience physics", 4.0),
    ("volcano venn pathway pca heat_map tree", _LIFE, 1.2),
    ("flow_cytometry", "oncology cell microbiology", 4.0),
    ("contour surface_plot", "physics chemistry materials", 3.0),
    ("dose_response", "oncology microbiology chemistry", 2.5),
    ("flow_chart timeline", "epidemiology clinic oncology", 2.0),
    ("network", "ecology learning epidemiology plant", 1.5),
    ("schematic", "physics materials neuroscience cell", 1.2),
)


_BY_DRAWER: dict[str, dict[str, float]] = {}
for _drawers, _domains, _weight in _AFFINITY:
    for _drawer in _drawers.split():
        for _domain in _domains.split():
            _known = _BY_DRAWER.setdefault(_drawer, {})
            _known[_domain] = _known.get(_domain, 0.0) + _weight

_WORDS = {name: {**COMMON, **domain.words} for name, domain in DOMAINS.items()}
_AXES = {name: {**COMMON_AXES, **domain.axes} for name, domain in DOMAINS.items()}


def draw_topic(dice: Dice, drawers: Sequence[str]) -> tuple[Topic, Domain]:
    """The topic of a figure with these drawers (there may be none, or unknown ones), and its domain."""
    weights = dict.fromkeys(DOMAINS, 0.6)
    for drawer in drawers:
        for domain, weight in _BY_DRAWER.get(drawer, {}).items():
            weights[domain] += weight
    name = dice.weighted({domain: weight**2.5 for domain, weight in weights.items()})
    return Topic(dice, _WORDS[name], _AXES[name], ORDERED), DOMAINS[name]
