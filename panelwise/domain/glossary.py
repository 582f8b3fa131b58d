"""The terms that pages, reports and documentation explain where they stand: one short meaning for each."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Term:
    """A term as it is written, and its meaning in one or two sentences."""

    name: str
    meaning: str


#: Key -> term, in the order of the documentation's glossary.
GLOSSARY = MappingProxyType(
    {
        "iaa": Term(
            "IAA",
            "Inter-annotator agreement: the mean score of all ordered pairs of annotators, measured on their "
            "work from before adjudication. 1 is perfect agreement.",
        ),
        "score": Term(
            "Score of a pair",
            "One annotator's work is used as gold. Each of its subfigures gets the F1 of its words, or 0 unless a "
            "box of the other annotator matches; the score is the mean over these subfigures.",
        ),
        "figure": Term(
            "Agreement on a figure",
            "The mean score on this figure over all ordered pairs of its annotators; 0 if some accepted the "
            "figure and others rejected it. It has no value with fewer than two annotators.",
        ),
        "f1": Term(
            "F1",
            "How far two selections of words overlap: twice the shared words, divided by the words of both "
            "together. 0 means no word in common, 1 the same words.",
        ),
        "iou": Term(
            "IoU",
            "Intersection over union of two boxes: the area that they share, divided by the area that they "
            "cover together. A box matches another one from a threshold on, usually 0.5.",
        ),
        "pooled": Term(
            "Pooled",
            "The mean over all scored subfigures of all pairs, so that annotators with more work weigh more. "
            "The IAA gives each pair the same weight.",
        ),
        "macro": Term(
            "Per figure",
            "The mean of the figures' scores, so that each figure weighs the same, however many subfigures it "
            "has.",
        ),
        "interval": Term(
            "95 % CI",
            "Confidence interval: a range that shows how far the value depends on which figures were annotated. "
            "It is wide with few figures.",
        ),
        "kappa": Term(
            "Kappa",
            "Agreement on verdicts, such as accepting a figure, beyond what chance would give: 0 is chance, 1 "
            "is perfect. It is low or undefined where nearly all verdicts are the same one.",
        ),
        "ac1": Term(
            "AC1",
            "Gwet's coefficient, agreement beyond chance like kappa. It depends less on one verdict being much "
            "more frequent than the others.",
        ),
        "alpha": Term(
            "Alpha",
            "Krippendorff's coefficient, agreement beyond chance for any number of annotators, also where some "
            "judgements are missing.",
        ),
        "blind": Term(
            "Blind",
            "The annotator sees the figure and given boxes, but none of what others wrote, until the work is "
            "handed in.",
        ),
        "seeded": Term(
            "Seeded",
            "Work that began from a model's pre-labels. Annotators who start from the same pre-labels look more "
            "in agreement than they are.",
        ),
        "independent": Term(
            "Independent work",
            "What an annotator submitted before seeing others' work, a decision or a hint on the figure. "
            "Agreement is measured on it; later corrections are not counted.",
        ),
        "certainty": Term(
            "Score of a pre-labelled figure",
            "The product of the model's scores of all its panels: the chance, as the model sees it, that no "
            "panel needs an edit. It falls with each further panel.",
        ),
    }
)
