"""Templates of new campaigns: phases, people, deadlines and initial guidelines.

A template only fills in campaign.toml; the campaign has no further connection to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from importlib import resources

from annotator.campaign.home import DEFAULT_LABELS
from panelwise.domain import BOXES_OF_PHASE, FIGURE_TYPES, Campaign, GoldSource, Phase, Screen, TaskType
from panelwise.settings import campaign_text

#: The hour (UTC) at which phases and batches are due.
DUE = time(18, tzinfo=UTC)

_TEXTS = "guideline_texts"
#: The type of the figures that are not medical, in a campaign that estimates the share of medical ones.
NOT_MEDICAL = "not medical"


@dataclass(frozen=True, slots=True)
class _TemplateValues:
    """Values of a template. start: of the first week; None for no deadlines."""

    annotators: tuple[str, ...]
    reviewers: tuple[str, ...]
    start: date | None

    def week(self, number: int) -> datetime | None:
        """Return the end of the given week, counted from 1."""
        return None if self.start is None else datetime.combine(self.start + timedelta(weeks=number), DUE)

    def weeks(self, first: int, last: int) -> tuple[datetime, ...]:
        """Return the ends of a range of weeks, () without a start."""
        ends = (self.week(number) for number in range(first, last + 1))
        return tuple(each for each in ends if each is not None)


@dataclass(frozen=True, slots=True)
class Template:
    """A template. title: heading of campaign.toml. notes: comments above phases, by name.

    language_models: whether the guidelines allow them for pre-labels.
    """

    name: str
    title: str
    phases: Callable[[_TemplateValues], tuple[Phase, ...]]
    annotators: tuple[str, ...]
    reviewers: tuple[str, ...]
    notes: Mapping[str, str]
    quorum: int = 2
    language_models: bool = False
    figure_types: tuple[str, ...] = FIGURE_TYPES

    def campaign(
        self,
        name: str,
        labels: tuple[str, ...],
        *,
        annotators: Sequence[str] = (),
        reviewers: Sequence[str] = (),
        start: date | None = None,
    ) -> Campaign:
        """Create the campaign. annotators, reviewers: names, () for example names. start: of the first week.

        Raises InvalidAnnotation for invalid names.
        """
        given = _TemplateValues(tuple(annotators) or self.annotators, tuple(reviewers) or self.reviewers, start)
        return Campaign(
            name,
            self.phases(given),
            labels,
            "1",
            self.quorum,
            reviewers=given.reviewers,
            language_models=self.language_models,
            figure_types=self.figure_types,
        )

    def text(self, campaign: Campaign) -> str:
        """Its campaign.toml."""
        return campaign_text(campaign, notes=self.notes, title=self.title)

    def guidelines(self) -> str:
        """Return initial guidelines in Markdown."""
        return (
            resources.files("annotator.campaign").joinpath(_TEXTS, f"{self.name}.md").read_text(encoding="utf-8")
        )


def _subfigures(given: _TemplateValues) -> tuple[Phase, ...]:
    sharing = given.annotators[:3] if len(given.annotators) > 3 else ()
    return (
        Phase(
            "1",
            deadline=given.week(4),
            single_span=True,
            annotators=given.annotators,
            overlap=100,
            overlap_annotators=sharing,
            overlap_seeded=False,
        ),
        Phase(
            "2",
            deadline=given.week(6),
            seeded=False,
            figures=100,
            figures_of="1",
            reviewers=given.reviewers,
            blind=True,
            given=BOXES_OF_PHASE,
        ),
    )


#: Figures per annotator of SciVQA: to learn by, of its training set in total and per week, and of its test set.
_LEARNT, _EACH, _EACH_WEEK, _TESTED = 20, 380, 76, 100
#: Figures per annotator of its human evaluation: to learn by, those of its schedule, and the rest of its 120.
_EVALUATED = (20, 80, 20)


def _figure_qa(given: _TemplateValues) -> tuple[Phase, ...]:
    people = len(given.annotators)
    usual = Phase(
        "training",
        TaskType.FIGURE_QA,
        overlap=0,
        by_document=True,
        annotators=given.annotators,
        figure_type=True,
    )

    def answering(name: str, figures: int, figures_of: str, week: int) -> Phase:
        return Phase(
            name,
            TaskType.HUMAN_EVAL,
            seeded=False,
            figures=figures * people,
            figures_of=figures_of,
            overlap=0,
            deadline=given.week(week),
            annotators=given.annotators,
        )

    learning, scheduled, rest = _EVALUATED
    return (
        replace(usual, figures=_LEARNT * people, deadline=given.week(1)),
        replace(
            usual,
            name="train",
            figures=_EACH * people,
            batch=_EACH_WEEK * people,
            batch_deadlines=given.weeks(2, 6),
            deadline=given.week(6),
        ),
        replace(usual, name="test", figures=_TESTED * people, deadline=given.week(8), fine_types=True),
        answering("human-eval-training", learning, "test", 9),
        answering("human-eval", scheduled, "test", 10),
        answering("human-eval-rest", rest, "train", 10),
    )


def _figure_types(given: _TemplateValues) -> tuple[Phase, ...]:
    return (
        Phase("1", TaskType.FIGURE_TYPES, annotators=given.annotators, overlap=50, deadline=given.week(2)),
        Phase(
            "fine",
            TaskType.FIGURE_TYPES,
            annotators=given.annotators,
            figures=100,
            figures_of="1",
            overlap=20,
            fine_types=True,
            deadline=given.week(3),
        ),
    )


#: Figures of which MedICaT's paper estimates the shares of medical and of compound figures.
_ESTIMATED = 2_327


def _medical_types(given: _TemplateValues) -> tuple[Phase, ...]:
    usual = Phase("1", TaskType.FIGURE_TYPES, seeded=False, annotators=given.annotators, overlap=100)
    return (replace(usual, figures=_ESTIMATED, deadline=given.week(2)),)


def _human_eval(given: _TemplateValues) -> tuple[Phase, ...]:
    return (
        Phase(
            "training",
            TaskType.HUMAN_EVAL,
            seeded=False,
            figures=20,
            overlap=20,
            annotators=given.annotators,
            deadline=given.week(1),
        ),
        Phase(
            "evaluation",
            TaskType.HUMAN_EVAL,
            seeded=False,
            figures=80,
            overlap=0,
            annotators=given.annotators,
            deadline=given.week(2),
        ),
    )


_FOUR = ("ann1", "ann2", "ann3", "ann4")
_TWO = ("rev1", "rev2")

TEMPLATES = {
    template.name: template
    for template in (
        Template(
            "subfigures",
            "Subfigures and subcaptions in two phases, as MedICaT was made",
            _subfigures,
            (*_FOUR, "ann5"),
            _TWO,
            {
                "1": "Boxes, and one span for each; several annotators share some figures, without pre-labels.",
                "2": "Reviewers mark the words of these boxes again, with as many spans as it takes, blind.",
            },
            language_models=True,
        ),
        Template(
            "figure-qa",
            "Question-answer pairs validated in weekly batches, then answered by people, as SciVQA was made",
            _figure_qa,
            _FOUR,
            _TWO,
            {
                "training": f"{_LEARNT} figures for each annotator; an overlap shares some, to compare.",
                "train": f"{_EACH} figures for each annotator, {_EACH_WEEK} a week; who finishes early gets more.",
                "test": f"The set that models are measured on: {_TESTED} figures for each annotator.",
                "human-eval-training": "People answer questions of the test set, which somebody else validated.",
                "human-eval": "The others of the test set: what people reach.",
                "human-eval-rest": f"Of the training set, up to the paper's {sum(_EVALUATED)} figures for each.",
            },
            quorum=1,
        ),
        Template(
            "figure-types",
            "Types of figures, and how many subfigures they have",
            _figure_types,
            _FOUR[:3],
            _TWO,
            {"1": "Types and counts of all figures.", "fine": "Fine types, of some of the figures."},
        ),
        Template(
            "medical-types",
            "Which figures are medical, of what kind, and compound: a sample of a corpus, as MedICaT's Table 1",
            _medical_types,
            _FOUR,
            _TWO,
            {"1": f"{_ESTIMATED:,} figures at random; everybody does 100 of them, to compare."},
            figure_types=("radiology", "histology", "scopes", "other medical", NOT_MEDICAL),
        ),
        Template(
            "human-eval",
            "Questions about figures, answered by people",
            _human_eval,
            _FOUR,
            (),
            {"training": "Everyone answers the same questions first.", "evaluation": "Each figure by one person."},
        ),
    )
}


def initial_texts(
    template: str,
    name: str,
    labels: Sequence[str] = (),
    *,
    annotators: Sequence[str] = (),
    reviewers: Sequence[str] = (),
    start: date | None = None,
    own_screen: bool = False,
    example_names: bool = True,
    single: bool = False,
) -> tuple[str, str]:
    """Return campaign.toml and the guidelines of a new campaign.

    template: of TEMPLATES; "" for one phase in which everybody boxes every figure. own_screen: annotators work in
    Panelwise, not in Label Studio. example_names: where no names are given, use the template's. single: whether
    gold includes unreviewed single work.
    """
    labels = tuple(labels) or DEFAULT_LABELS
    chosen = TEMPLATES.get(template)
    if chosen is None:
        campaign = Campaign(name, (Phase("1", annotators=tuple(annotators)),), labels, reviewers=tuple(reviewers))
    else:
        campaign = chosen.campaign(name, labels, annotators=annotators, reviewers=reviewers, start=start)
    phases = campaign.phases
    if own_screen:
        phases = tuple(each if each.blind else replace(each, annotate_in=Screen.PANELWISE) for each in phases)
    if not example_names:
        phases = tuple(
            replace(
                each,
                annotators=each.annotators if annotators else (),
                overlap_annotators=each.overlap_annotators if annotators else (),
                reviewers=each.reviewers if reviewers else (),
            )
            for each in phases
        )
        campaign = replace(campaign, reviewers=tuple(reviewers))
    include = frozenset({GoldSource.SINGLE} if single else ())
    campaign = replace(campaign, phases=phases, include=include)
    if chosen is None:
        return campaign_text(campaign), ""
    return chosen.text(campaign), chosen.guidelines()
