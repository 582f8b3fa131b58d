"""README.md of a release: a dataset card with Hugging Face's header, all from the manifest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotator.gold.dataset import numbers
from annotator.gold.dataset.citation import bibtex, licence_address, quoted
from annotator.gold.dataset.kinds import contains_boxes, description, held, keywords, task_categories
from prelabel.training import Split

#: Hugging Face's names of splits.
_HUB_SPLITS = {Split.TRAIN: "train", Split.VAL: "validation", Split.TEST: "test"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
#: What is said of the agreement on items, whose rows the table has.
_ON_ITEMS = (
    "Agreement on figure types, and on verdicts on question-answer pairs, is the share of pairs of annotators who "
    "agree, mean over the figures or pairs that two or more judged, with Krippendorff's alpha; people's own "
    "answers are compared to the gold's answers."
)
_FILES = {
    "gold.jsonl": "the gold in MedICaT's annotation layout, with provenance",
    "figures.jsonl": "figures: caption, tokens, references, source",
    "annotations.jsonl": "every annotator's work on these figures",
    "predictions.jsonl": "every model's predictions for these figures",
    "data/": "the same as tables: JSON lines, and Parquet with images where the release holds them",
    "coco/": "COCO: the gold, and every annotator's boxes with `rater_id`, a file for each phase",
    "images/": "images of the figures whose licence allows copies",
    "subcaption_split_keys.json": "the splits, as MedICaT writes them",
    "images_not_included.jsonl": "figures whose licence does not allow copies of the image",
    "croissant.json": "Croissant 1.1 with the fields for responsible AI",
    "DATASHEET.md": "the datasheet",
    ".zenodo.json": "metadata for a deposit at Zenodo",
    "manifest.json": "counts, hashes, settings, agreement: what this page was written from",
}


def card(manifest: Mapping[str, Any]) -> str:
    """Return the text of README.md."""
    about = manifest["about"]
    lines = [
        "---",
        *_header(manifest),
        "---",
        "",
        f"# {about['title']}",
        "",
        description(manifest),
        "",
        f"Release {manifest['number']} ({manifest['name']}) of {manifest['created_at'][:10]}.",
        *_section("Counts", _table("count", numbers.counts(manifest))),
        *_section("Splits", [numbers.splits_statement(manifest), "", *_table("split", numbers.splits(manifest))]),
        *_section("Agreement between annotators", _agreement(manifest)),
        *_section("Licences", _licences(manifest)),
        *_section("Files", [f"- `{name}`: {what}" for name, what in _FILES.items() if _has(manifest, name)]),
        *_section("Load", _load(manifest)),
        *_section("Citation", ["```bibtex", citation_of(manifest), "```"]),
    ]
    return "\n".join(lines) + "\n"


def citation_of(manifest: Mapping[str, Any]) -> str:
    """Return the release as a BibTeX entry."""
    return bibtex(manifest["about"], key=f"panelwise_{manifest['name']}", year=manifest["created_at"][:4])


def table_rows(text: str) -> dict[str, str]:
    """Return name -> value of all tables of a card; the inverse of what `card` writes."""
    cells = (line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| "))
    return {_plain(row[0]): _plain(row[1]) for row in cells if len(row) == 2}


def _has(manifest: Mapping[str, Any], name: str) -> bool:
    images = [entry["file"] for entry in manifest["figures"].values() if entry["file"]]
    written = ("croissant.json", "DATASHEET.md", ".zenodo.json", "manifest.json", *manifest["files"], *images)
    return any(each == name or (name.endswith("/") and each.startswith(name)) for each in written)


def _header(manifest: Mapping[str, Any]) -> Iterator[str]:
    about, licence = manifest["about"], manifest["about"]["licence"]
    known = licence.startswith("CC")
    yield f"license: {licence.lower() if known else 'other'}"
    if licence and not known:
        yield f"license_name: {quoted(licence)}"
        yield f"license_link: {quoted(licence_address(licence))}"
    yield f"pretty_name: {quoted(about['title'])}"
    figures = manifest["counts"]["figures"]
    yield f"size_categories: [{next((name for most, name in _SIZES if figures < most), 'n>1M')}]"
    yield f"task_categories: [{', '.join(task_categories(manifest))}]"
    yield f"tags: [{', '.join([*keywords(manifest), 'croissant'])}]"
    yield "configs:"
    for config, files in _configs(manifest):
        yield f"- config_name: {config}"
        if config == "gold":
            yield "  default: true"
        yield "  data_files:"
        for split, path in files:
            yield f"  - split: {split}"
            yield f"    path: {path}"


def _configs(manifest: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each table with its files by split: Parquet, or JSON lines where that was not written."""
    tables = {
        "gold": [(_HUB_SPLITS[split], f"data/gold-{split}") for split in Split],
        "annotations": [("train", "data/annotations")],
        "predictions": [("train", "data/predictions")],
    }
    for config, parts in tables.items():
        files = [
            (split, next(filter(manifest["files"].__contains__, (f"{path}.parquet", f"{path}.jsonl")), ""))
            for split, path in parts
        ]
        if found := [(split, path) for split, path in files if path]:
            yield config, found


def _agreement(manifest: Mapping[str, Any]) -> list[str]:
    rule = manifest["agreement"]
    parts = [part for each in rule["phases"] for part in (each["campaign"], each["released"])]
    stated = {part.get("interval_unit", "figure") for part in parts if part["interval"] is not None}
    which = (
        "IAA of all figures is of each annotator's last submission from before others' work on the figure, or a "
        "hint about it, reached them. IAA of the released figures is of the annotations in this release, "
        "with corrections; where these change it, the value of independent work on them stands before it."
    )
    units = " or ".join(f"{unit}s" for unit in sorted(stated or {"figure"}))
    on_items = [_ON_ITEMS, ""] if rule.get("items") else []
    if not rule["phases"]:
        return [
            *(on_items or ["No phase of the campaign has two people's work on the same.", ""]),
            *_stated(manifest),
        ]
    return [
        "Inter-annotator agreement (IAA) is the IoU-gated token F1 of MedICaT, "
        f"variant `{rule['mode']}`: a subfigure scores the F1 of its caption tokens where the boxes match "
        f"with IoU ≥ {rule['min_iou']:g}, else 0. IAA is the mean over ordered pairs of annotators. "
        f"Intervals: bootstrap over {units}, {rule['bootstrap']:,} resamples. Figures that could not be "
        "adjudicated are missing from the released figures, whose agreement is therefore higher as a rule.",
        *([which] if any("work" in part for part in parts) else []),
        "",
        *on_items,
        *_stated(manifest),
    ]


def _stated(manifest: Mapping[str, Any]) -> list[str]:
    """Return the table of agreement; nothing without rows."""
    rows = numbers.agreement(manifest)
    return _table("agreement", rows) if rows else []


def _licences(manifest: Mapping[str, Any]) -> list[str]:
    licence = manifest["about"]["licence"]
    stated = f"[{licence}]({licence_address(licence)})" if licence else "no licence yet; ask the makers"
    return [
        f"Annotations: {stated}. Figures and captions keep the licence of their article:",
        "",
        *_table("licence of the figure", numbers.licences(manifest)),
    ]


def _load(manifest: Mapping[str, Any]) -> list[str]:
    configs = ", ".join(f"`{name}`" for name, _ in _configs(manifest))
    columns = ["`tokens` are [start, end) in code points of `caption`."]
    if contains_boxes(manifest):
        columns.append(
            "Boxes are x0 y0 x1 y1 in pixels of the image, origin top left; `subcaption` holds indices "
            "into `tokens`."
        )
    if not all(kind.drawn for kind in held(manifest)):
        columns.append("`items` holds figure type, verdicts and answers as JSON.")
    return [
        "```python",
        "from datasets import load_dataset",
        "",
        'gold = load_dataset("path/of/this/folder")',
        "```",
        "",
        f"Tables: {configs}. {' '.join(columns)}",
    ]


def _section(title: str, lines: Iterable[str]) -> list[str]:
    return ["", f"## {title}", "", *lines]


def _table(head: str, rows: numbers.Table) -> list[str]:
    cells = [f"| {_cell(name)} | {_cell(value)} |" for name, value in rows]
    return [f"| {head} | value |", "|---|---|", *cells]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _plain(cell: str) -> str:
    return cell.strip().replace("\\|", "|")
