"""The worked examples about chance, and about merging, computed by `agreement`."""

from __future__ import annotations

from dataclasses import dataclass

from agreement import Candidate, Report, merge_candidates, report_on
from agreement.chance.coefficients import krippendorff_alpha, masi_distance
from agreement_pictures.canvas import known
from agreement_pictures.work import CAPTION, LEFT, MIDDLE, figure, panel, work
from panelwise.domain.annotation import Annotation, Status

# ---- accepting and rejecting ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Two annotators' verdicts on 20 figures: both accept, only one does, both reject."""

    both: int
    only_ann: int
    only_ben: int
    neither: int

    def report(self) -> Report:
        """The report on them."""
        verdicts = [
            *[(Status.ACCEPTED, Status.ACCEPTED)] * self.both,
            *[(Status.ACCEPTED, Status.REJECTED)] * self.only_ann,
            *[(Status.REJECTED, Status.ACCEPTED)] * self.only_ben,
            *[(Status.REJECTED, Status.REJECTED)] * self.neither,
        ]
        submitted: list[Annotation] = []
        for number, pair in enumerate(verdicts):
            one = figure(f"f{number:02}")
            for who, status in zip(("ann", "ben"), pair, strict=True):
                panels = (panel(LEFT, (6, 7)),) if status is Status.ACCEPTED else ()
                submitted.append(work(who, one, *panels, status=status))
        return report_on(submitted)


#: Nearly all figures are good; half are.
SKEWED, EVEN = Verdicts(18, 1, 1, 0), Verdicts(9, 1, 1, 9)

# ---- words ------------------------------------------------------------------------------------------

#: Which panels each of two annotators gave each counted word: ben leaves out "a" and gives "right lung" to both.
ANN = (panel(LEFT, (4, 6, 7, 8)), panel(MIDDLE, (10, 12, 13)))
BEN = (panel(LEFT, (6, 7, 8, 12, 13)), panel(MIDDLE, (10, 12, 13)))


def words() -> Report:
    """The report on ANN and BEN."""
    one = figure()
    return report_on([work("ann", one, *ANN), work("ben", one, *BEN)])


def given(token: int) -> tuple[str, str]:
    """The panels that ann and ben gave this word to: "A", "AB", or "" for none."""
    ours, theirs = (
        "".join(label for label, part in zip("AB", who, strict=True) if token in part.subcaption)
        for who in (ANN, BEN)
    )
    return ours, theirs


def counted_tokens() -> list[int]:
    """The words that count, in order."""
    return [place for place, word in enumerate(CAPTION.split()) if word.isalnum()]


def nominal_by_hand() -> float:
    """Alpha of the same table, straight from the definition."""
    return known(krippendorff_alpha([[panel or "none" for panel in given(token)] for token in counted_tokens()]))


#: Pairs of sets of panels, from equal to apart.
SETS = (("A", "A"), ("A", "AB"), ("AB", "BC"), ("A", "B"))


def distances() -> list[float]:
    """Return the MASI distance of the two sets of each of SETS, in [0, 1]."""
    return [masi_distance(frozenset(one), frozenset(other)) for one, other in SETS]


# ---- merging ----------------------------------------------------------------------------------------

#: One panel as three annotators have it, in hundredths of pixels that are easy on the eye.
THREE = {
    "ann": panel((10, 10, 100, 90), (4, 6, 7, 8)),
    "ben": panel((14, 12, 104, 96), (6, 7, 8)),
    "cho": panel((12, 4, 96, 88), (6, 7)),
}


def merged() -> Candidate:
    """Return the consensus with a quorum of two."""
    one = figure()
    (found,) = merge_candidates([work(who, one, part) for who, part in THREE.items()], quorum=2)
    return found
