"""Statements of a release's documents on how it was made; and Gebru et al.'s questions, for its datasheet."""

from __future__ import annotations

from annotator.gold.dataset.numbers import history_of_work
from annotator.gold.manifest import Manifest
from panelwise.runtime import counted, named

#: Key of a statement in [release] -> the question it answers.
QUESTIONS = {
    "motivation": "For what purpose was the dataset created?",
    "collection": "How were the figures selected and collected?",
    "demographics": "Who are the annotators, and how were they paid?",
    "personal_information": "Does the dataset contain personal or sensitive information?",
    "biases": "Which errors, noise or biases are known?",
    "uses": "For which uses is it meant, and for which not?",
    "social_impact": "What impact may its use have on people?",
    "maintenance": "Who maintains it, and will it be updated?",
}


def annotation_protocol(manifest: Manifest) -> str:
    """Return in plain English how the gold was made."""
    campaign, by_source = manifest["campaign"], manifest["counts"]["by_source"]
    second = " Every decision was confirmed by a second reviewer." if campaign["second_reviewer"] else ""
    single = (
        f" {by_source['single']:,} figures were annotated by fewer people than that and not reviewed."
        if by_source["single"]
        else ""
    )
    phases = ", ".join(f"{each['name']} ({each['task_type']})" for each in campaign["phases"])
    versions = ", ".join(f"{version or 'none'} ({count:,})" for version, count in manifest["guidelines"].items())
    independently, remarks = _independence(manifest)
    return (
        f"Annotators worked in the phases {phases}{independently}.{remarks} "
        f"{by_source['adjudicated']:,} figures were adjudicated by a reviewer; "
        f"{by_source['unanimous']:,} are gold because at least "
        f"{max(2, campaign['quorum'])} annotators did the same.{second}{single} Guideline versions, with the "
        f"number of annotations made under each: {versions or 'no annotations'}."
    )


def _independence(manifest: Manifest) -> tuple[str, str]:
    """Return how annotators worked, as far as it is known, as the end of a sentence and another one."""
    history = history_of_work(manifest)
    if history is None:
        return "", " The release does not say whether others' work on a figure reached them."
    replaced, unknown = history
    corrected = (
        f" {counted(replaced, 'annotation')} {named(replaced, 'was', 'were')} corrected after others' work on the "
        "figure, or a hint about it, had reached the annotator."
    )
    untold = f" The history of {counted(unknown, 'annotation')} is unknown."
    independently = "" if replaced or unknown else ", independently"
    return independently, (corrected if replaced else "") + (untold if unknown else "")


def annotators_per_item(manifest: Manifest) -> str:
    """Return how many annotations a figure has."""
    spread = manifest["counts"]["by_annotators"]
    return "; ".join(
        f"{counted(figures, 'figure')} by {counted(int(number), 'annotator')}"
        for number, figures in spread.items()
    )


def tools(manifest: Manifest) -> list[str]:
    """Return the software used, and the models whose predictions annotators began from or are released."""
    models = [f"{name} ({count:,} predictions)" for name, count in manifest["models"].items()]
    return [*platforms(manifest), *models]


def platforms(manifest: Manifest) -> list[str]:
    """Return the software that people annotated with."""
    studio = any(phase["annotate_in"] == "label-studio" for phase in manifest["campaign"]["phases"])
    return [f"Panelwise {manifest['panelwise']}", *(["Label Studio"] if studio else [])]
