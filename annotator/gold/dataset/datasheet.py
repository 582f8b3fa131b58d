"""DATASHEET.md of a release: Gebru et al.'s questions, answered from the campaign and the table [release]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotator.gold.dataset import numbers
from annotator.gold.dataset.citation import author_name, licence_address
from annotator.gold.dataset.kinds import description
from panelwise.runtime import counted

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
_NOT_STATED = "Not stated by the makers of this dataset."


def datasheet(manifest: Mapping[str, Any]) -> str:
    """Return the text of DATASHEET.md."""
    return "\n\n".join(_paragraphs(manifest)) + "\n"


def annotation_protocol(manifest: Mapping[str, Any]) -> str:
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
    return (
        f"Annotators worked independently, in the phases {phases}. {by_source['adjudicated']:,} figures were "
        f"adjudicated by a reviewer; {by_source['unanimous']:,} are gold because at least "
        f"{max(2, campaign['quorum'])} annotators did the same.{second}{single} Guideline versions, with the "
        f"number of annotations made under each: {versions or 'no annotations'}."
    )


def annotators_per_item(manifest: Mapping[str, Any]) -> str:
    """Return how many annotations a figure has."""
    spread = manifest["counts"]["by_annotators"]
    return "; ".join(
        f"{counted(figures, 'figure')} by {counted(int(number), 'annotator')}"
        for number, figures in spread.items()
    )


def tools(manifest: Mapping[str, Any]) -> list[str]:
    """Return the software used, and the models whose predictions annotators began from or are released."""
    models = [f"{name} ({count:,} predictions)" for name, count in manifest["models"].items()]
    return [*platforms(manifest), *models]


def platforms(manifest: Mapping[str, Any]) -> list[str]:
    """Return the software that people annotated with."""
    studio = any(phase["annotate_in"] == "label-studio" for phase in manifest["campaign"]["phases"])
    return [f"Panelwise {manifest['panelwise']}", *(["Label Studio"] if studio else [])]


def _paragraphs(manifest: Mapping[str, Any]) -> Iterator[str]:
    about = manifest["about"]
    said, found, licence = about["statements"], manifest["counts"], about["licence"]
    left_out = {state: ids if isinstance(ids, int) else len(ids) for state, ids in manifest["left_out"].items()}
    missing = ", ".join(f"{count:,} {state}" for state, count in left_out.items() if count)
    terms = f"{licence}, {licence_address(licence)}" if licence else "no licence was chosen yet"
    yield f"# Datasheet: {about['title']}"
    yield "## Motivation"
    yield from _stated(said, "motivation")
    yield "**Who created it?**"
    yield ", ".join(map(author_name, about["authors"])) or _NOT_STATED
    yield "## Composition"
    yield "**What do the instances represent, and how many are there?**"
    yield description(manifest)
    yield _list(numbers.counts(manifest))
    yield "**Is anything missing?**"
    yield f"Left out, by state: {missing or 'none'}."
    yield "**Are there recommended splits?**"
    by = "Yes." if numbers.articles_unknown(manifest) else "Yes, by article."
    yield f"{by} {numbers.splits_statement(manifest)}"
    yield _list(numbers.splits(manifest))
    yield from _stated(said, "biases", "personal_information")
    yield "## Collection"
    yield from _stated(said, "collection", "demographics")
    yield "## Annotation"
    yield "**How was it annotated?**"
    yield annotation_protocol(manifest)
    yield "**How many people annotated each figure?**"
    yield f"{annotators_per_item(manifest)}."
    yield "**Which tools were used?**"
    yield f"{', '.join(tools(manifest))}."
    if numbers.agreement(manifest):
        yield "**How far do the annotators agree?**"
        if independent := numbers.independence_statement(manifest):
            yield independent
        yield _list(numbers.agreement(manifest))
    yield "## Uses"
    yield from _stated(said, "uses", "social_impact")
    yield "## Distribution"
    yield "**Under which licence?**"
    yield (
        f"Annotations: {terms}. Figures keep the licence of their article; an image is included only if that "
        "allows it."
    )
    yield _list(numbers.licences(manifest))
    yield "## Maintenance"
    yield from _stated(said, "maintenance")
    yield "**Will it change?**"
    yield f"Release {manifest['number']} with its {counted(found['figures'], 'figure')} is never rewritten."


def _stated(said: Mapping[str, str], *keys: str) -> Iterator[str]:
    """Yield questions that only the makers can answer, with their answers."""
    for key in keys:
        yield f"**{QUESTIONS[key]}**"
        yield said[key] or _NOT_STATED


def _list(rows: numbers.Table) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in rows)
