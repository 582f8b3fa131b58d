"""The numbers of a release as its documents state them: all from the manifest, in one wording."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.gold.dataset.kinds import ITEM_COUNTS, contains_boxes, number_of
from annotator.gold.manifest import Agreement, ItemsAgreement, Manifest, PhaseAgreement
from panelwise.runtime import counted, named

Table = list[tuple[str, str]]


def counts(manifest: Manifest) -> Table:
    """Return what the release holds, as name and value."""
    found = manifest["counts"]
    boxes = contains_boxes(manifest)
    sources = {"adjudicated": "adjudicated", "unanimous": "unanimous", "single": "single (unreviewed)"}
    return [
        ("Figures", _whole(found["figures"])),
        *([] if articles_unknown(manifest) else [("Articles", _whole(found["documents"]))]),
        *([("Subfigures", _whole(found["subfigures"]))] if boxes else []),
        ("Caption tokens", _whole(found["tokens"])),
        *([("Subcaption tokens", _whole(found["subcaption_tokens"]))] if boxes else []),
        *((name, _whole(number)) for key, name in ITEM_COUNTS.items() if (number := number_of(manifest, key))),
        ("Annotations", _whole(found["annotations"])),
        ("Predictions", _whole(found["predictions"])),
        *((f"Figures {said}", _whole(found["by_source"][source])) for source, said in sources.items()),
    ]


def splits(manifest: Manifest) -> Table:
    """Return the figures and articles of each split."""
    return [
        (
            split,
            counted(entry["figures"], "figure")
            + ("" if articles_unknown(manifest) else f" of {counted(entry['documents'], 'article')}"),
        )
        for split, entry in manifest["counts"]["by_split"].items()
    ]


def articles_unknown(manifest: Manifest) -> bool:
    """Return True if no figure names its article."""
    return bool(_without_document(manifest) == manifest["counts"]["figures"])


def splits_statement(manifest: Manifest) -> str:
    """Return how far articles are apart in the splits: what is known of the figures' articles, and no more."""
    without = _without_document(manifest)
    if articles_unknown(manifest):
        return "The figures' articles are not stated: figures of one article may be in different splits."
    if without:
        return (
            f"No stated article is in two splits; {counted(without, 'figure')} without one may belong to articles "
            "in other splits."
        )
    return "No article is in two splits."


def _without_document(manifest: Manifest) -> int:
    # Releases made before this was counted do not say.
    return int(manifest["counts"].get("without_document", 0))


def licences(manifest: Manifest) -> Table:
    """Return for each licence of figures how many there are, and how many images the release holds."""
    return [
        (
            licence or "not stated",
            f"{counted(entry['figures'], 'figure')}, {counted(entry['images'], 'image')} included",
        )
        for licence, entry in manifest["licences"].items()
    ]


def agreement(manifest: Manifest) -> Table:
    """Return the agreement of each phase, over the campaign and over the released figures.

    Independent work on these has rows of its own if some of it was corrected later.
    """
    return [
        (f"Phase {phase['phase']}, {name}{what}", value)
        for phase in manifest["agreement"]["phases"]
        for name, part in (
            ("all figures", phase["campaign"]),
            *(
                [("released figures, independent work", phase["released_independent"])]
                if _corrected(phase)
                else []
            ),
            ("released figures", phase["released"]),
        )
        for what, value in _agreement(part)
    ] + [
        (f"Phase {phase['phase']}, {name}: {what}", value)
        for phase in manifest["agreement"].get("items", ())
        for name, part in (("all figures", phase["campaign"]), ("released figures", phase["released"]))
        for what, value in _items_agreement(part)
    ]


def _items_agreement(entry: ItemsAgreement) -> Iterator[tuple[str, str]]:
    for judgement in entry["judgements"]:
        what = judgement["name"]
        yield f"{what}, judged by two or more", _whole(judgement["units"])
        if judgement["units"]:
            yield f"{what}, observed agreement", score(judgement["observed"])
            if judgement["name"] != "number of subfigures":
                yield f"{what}, Krippendorff's alpha", score(judgement["alpha"])
    for answers in entry["answers"]:
        yield "answers by people", _whole(answers["answers"])
        yield "answers equal to the gold", score(answers["equal"])
        yield "answers, ROUGE-L", score(answers["rouge_l"])


def history_of_work(manifest: Manifest) -> tuple[int, int] | None:
    """Return how many annotations were replaced by later corrections, and of how many that is unknown.

    None for manifests that do not say.
    """
    whole = [phase["campaign"] for phase in manifest["agreement"]["phases"] if "work" in phase["campaign"]]
    if not whole:
        return None
    replaced = sum(corrected["annotations"] for entry in whole if (corrected := entry.get("corrected")))
    return replaced, sum(entry["annotations"] for entry in whole if not entry.get("corrected"))


def independence_statement(manifest: Manifest) -> str:
    """Return which work agreement counts and how much was replaced; "" for manifests that do not say."""
    history = history_of_work(manifest)
    if history is None:
        return ""
    replaced, unknown = history
    return (
        "Agreement over all figures counts each annotator's first, independent work: the last submission from "
        "before others' work on the figure, or a hint about it, reached them. "
        f"{counted(replaced, 'annotation')} {named(replaced, 'was', 'were')} replaced by later corrections; "
        f"the history of {counted(unknown, 'annotation')} is unknown."
    )


def _corrected(phase: PhaseAgreement) -> list[Agreement]:
    """Return that of independent work on the released figures, if it is not that of the released work."""
    first, released = phase.get("released_independent"), phase["released"]
    return [first] if first is not None and {**first, "work": ""} != {**released, "work": ""} else []


def _agreement(entry: Agreement) -> Iterator[tuple[str, str]]:
    low, high = entry["interval"] or (None, None)
    yield ": IAA", score(entry["iaa"]) if entry["iaa"] is not None else f"undefined ({entry['reason']})"
    if low is not None:
        yield ": 95 % CI", f"{score(low)} to {score(high)}"
    yield ": pooled", score(entry["pooled"])
    yield ": mean over figures", score(entry["macro"])
    yield ": annotators", _whole(entry["annotators"])
    yield ": figures annotated", _whole(entry["figures"])
    yield ": figures shared by two or more", _whole(entry["figures_shared"])
    yield ": annotations that began from a prediction", _whole(entry["seeded"])
    if partly_read := entry.get("partly_read"):
        yield ": annotations left out, read in part", _whole(partly_read)
    if corrected := entry.get("corrected"):
        yield ": annotations corrected after others' work was seen", _whole(corrected["annotations"])
        yield ": of these sent back by a reviewer", _whole(corrected["sent_back"])
        yield ": IAA with corrections", score(corrected["iaa"])
    if seen := entry.get("acquainted"):
        yield ": IAA where an annotator knew the figure", score(seen["iaa"])
        yield ": IAA where none did", score(seen["new_iaa"])


def rows(manifest: Manifest) -> Table:
    """Return every row of the card's tables."""
    return [*counts(manifest), *splits(manifest), *licences(manifest), *agreement(manifest)]


def score(value: float | None) -> str:
    """Format a score with three decimals."""
    return "undefined" if value is None else f"{value:.3f}"


def _whole(number: int) -> str:
    return f"{number:,}"
