"""The phrases of every drawer, by its name."""

from __future__ import annotations

from panelwise_simulator.captions.phrases.bench import GELS, MICROSCOPY, PHOTOGRAPHS
from panelwise_simulator.captions.phrases.diagrams import DIAGRAMS, MAPS
from panelwise_simulator.captions.phrases.figures import DISTRIBUTIONS, MATRICES
from panelwise_simulator.captions.phrases.images import HISTOLOGY, RADIOLOGY
from panelwise_simulator.captions.phrases.language import Phrases, phrases
from panelwise_simulator.captions.phrases.plots import CHARTS, CURVES

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
SHORT = {
    "ct_axial": "axial CT", "ct_coronal": "coronal CT", "mri_brain": "MRI", "chest_xray": "chest radiographs",
    "limb_xray": "radiographs", "ultrasound": "ultrasound", "angiogram": "angiography", "pet_scan": "PET",
    "fundus": "fundus photographs", "tissue_stain": "histology", "tissue_close_up": "histological details",
    "immunostain": "immunohistochemistry", "negative_control": "negative controls", "trichrome": "collagen stains",
    "fluorescence": "fluorescence images", "fluorescence_merge": "merged images", "skin_photo": "photographs",
    "electron_micrograph": "micrographs", "phase_contrast": "phase-contrast images",
    "tissue_fluorescence": "immunofluorescence", "leaf_photo": "leaf symptoms",
    "plant_photo": "phenotypes", "specimen_photo": "specimens", "petri_dish": "plate assays",
    "apparatus_photo": "photographs of the setup", "landscape_photo": "views of the site",
    "immunoblot": "immunoblots", "dna_gel": "gel electrophoresis", "dot_blot": "dot blots", "bars": "bar charts",
    "grouped_bars": "comparisons by group", "stacked_bars": "composition", "pie": "proportions",
    "venn": "Venn diagrams", "forest_plot": "forest plots", "time_course": "time courses",
    "dose_response": "dose-response curves", "survival": "survival", "spectrum": "spectra",
    "chromatogram": "chromatograms", "trace": "traces", "roc_curve": "ROC curves", "line_chart": "profiles",
    "box_plot": "box plots", "violin": "violin plots", "scatter": "scatter plots", "volcano": "volcano plots",
    "histogram": "histograms", "pca": "ordination", "flow_cytometry": "flow cytometry", "radar": "radar charts",
    "heat_map": "heat maps", "confusion_matrix": "confusion matrices", "contour": "contour plots",
    "surface_plot": "response surfaces", "flow_chart": "workflow", "pathway": "proposed pathways",
    "timeline": "timelines", "network": "networks", "tree": "trees", "domain_structure": "domain structures",
    "neural_net": "network architectures", "schematic": "schematics", "sequence_alignment": "alignments",
    "site_map": "maps of the sites", "choropleth": "maps",
}  # fmt: skip

#: Of a drawer that no list knows.
_OTHER = phrases(
    "{representative |}{result|example} of {treatment}\n{measure} of {sample}",
    "{result|example} for {@group}",
    "{a {clear}|no} effect of {treatment}",
    "~{Details|Further examples} are given in the text.",
)


def phrases_of(drawer: str) -> Phrases:
    """The phrases of a drawer; general ones where its name is unknown."""
    return PHRASES.get(drawer, _OTHER)
