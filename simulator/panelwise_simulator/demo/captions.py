"""Captions of the demo's figures, with the truth built in (see `markup`): no parser says what belongs where.

Labels are single upper-case letters, however the caption itself writes its markers.
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def _one(rng: np.random.Generator, *options: str) -> str:
    return options[int(rng.integers(len(options)))]


def _filled(markup: str, **values: object) -> str:
    """The markup with each $name replaced by its value."""
    return Template(markup).substitute({name: str(value) for name, value in values.items()})


def radiology(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Two sections of one chest phantom: markup and references."""
    age = int(rng.integers(47, 78))
    size = int(rng.integers(9, 19))
    head = _one(
        rng,
        f"Pulmonary nodule in a {age}-year-old patient.",
        f"Computed tomography of the chest in a {age}-year-old patient with persistent cough.",
    )
    markup = _filled(
        "$head {A|(A) Axial section at the level of the heart shows a solid nodule of $size mm in the right "
        "upper lobe (arrow).} {B|(B) Coronal reformation confirms that the nodule lies apart from the pleura "
        "(arrow).} Lung window; no contrast medium was given.",
        head=head,
        size=size,
    )
    references = (
        f"Computed tomography showed a nodule of {size} mm in the right upper lobe (Figure 1A).",
        "The coronal reformation (Figure 1B) ruled out contact with the pleura.",
    )
    return markup, references


def histology(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Two stains at two magnifications, and two immunostains: markup and references."""
    share = int(rng.integers(31, 48))
    markup = _filled(
        "Histological findings in the resected specimen. {A,B|(a, b) Haematoxylin and eosin staining shows} "
        "{A|glands of irregular shape at low magnification (a)} and {B|enlarged nuclei with prominent "
        "nucleoli at high magnification (b).} {C|(c) Immunostaining for Ki-67 is positive in $share% of the "
        "nuclei.} {D|(d) Negative control without the primary antibody.} Scale bars: 100 µm (a), 40 µm (b), "
        "50 µm (c, d).",
        share=share,
    )
    references = (
        "The specimen contained irregular glands (Fig. 2a) with enlarged nuclei (Fig. 2b).",
        f"The Ki-67 index was {share}% (Fig. 2c), whereas the control remained negative (Fig. 2d).",
    )
    return markup, references


def charts(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Six charts with a shared sentence on two of them: markup and references."""
    count = int(rng.integers(3, 7))
    markup = _filled(
        "Loss of the transporter slows growth and alters expression. {A|(A) Growth curves of wild-type, "
        "mutant and rescued strains over 24 h.} {B,C|(B, C) Dose dependence of the response,} {B|given as "
        "relative expression of the reporter (B)} and {C|as a score by stage (C).} {D|(D) Serum marker "
        "plotted against tumour volume; the line is a least-squares fit.} {E|(E) Survival of treated and "
        "untreated animals.} {F|(F) Expression of 14 genes in ten samples, as z-scores (blue, low; red, "
        "high).} Data are means ± SD of n = $count experiments; ***P < 0.001, one-way ANOVA. OD600, optical "
        "density at 600 nm.",
        count=count,
    )
    references = (
        "The mutant grew more slowly than the wild type, and the rescue did not restore growth (Figure 3A).",
        "The response rose with the dose (Figure 3, B and C) and the marker with tumour volume (Figure 3D).",
        "Treatment prolonged survival (Figure 3E); the expression profile is shown in Figure 3F.",
    )
    return markup, references


def microscopy(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Channels of one field, a treated field and a chart. Holds a newline and characters beyond the BMP."""
    dose = int(rng.integers(2, 9)) * 5
    markup = _filled(
        "Distribution of \U0001d6fc-tubulin and vesicles \U0001f52c.\n"
        "{A,B,C|Top row, untreated cells:} {A|nuclei (A, left; blue),} {B|\U0001d6fc-tubulin (B, middle; "
        "green)} and {C|the merge with vesicles in red (C, right).} {D|(D) Cells treated with $dose nM "
        "nocodazole for 2 h, merged channels.} {E|(E) Diameter of the vesicles in 900 treated cells; the "
        "vertical line marks the mean.} Scale bars, 20 µm.",
        dose=dose,
    )
    references = (
        "In untreated cells \U0001d6fc-tubulin forms long filaments (Figure 4, A to C).",
        f"These were lost after treatment with {dose} nM nocodazole (Figure 4D).",
    )
    return markup, references


def blots(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """A blot beside two charts, its markers bare letters: markup and references."""
    hours = _one(rng, "24", "48", "72")
    markup = _filled(
        "Kinase-X is required for phosphorylation of the target. {A|A, Immunoblots of lysates taken $hours h "
        "after transfection with control or one of three siRNAs, or with siRNA-1 and a resistant construct "
        "(Resc.). Actin served as loading control.} {B|B, Growth of the transfected cells.} {C|C, Activity of "
        "the reporter; each dot is one well.} {B,C|Error bars in B and C show the SD.} kDa, kilodalton; "
        "siRNA, small interfering RNA.",
        hours=hours,
    )
    references = (
        "All three siRNAs depleted Kinase-X, and the resistant construct restored it (Figure 5A).",
        "Depletion impaired growth (Figure 5B) but not the activity of the reporter (Figure 5C).",
    )
    return markup, references


def flow(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """One picture that is not compound: markup and references."""
    year = int(rng.integers(2011, 2019))
    markup = (
        "Flow of participants through the trial. Patients were screened between January "
        f"{year} and March {year + 2}; those who withdrew consent were counted as lost to follow-up."
    )
    return markup, ("The flow of participants is shown in Figure 6.",)
