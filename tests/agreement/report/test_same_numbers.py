"""Every statistic of a report is the same number in JSON, CSV, text, HTML and LaTeX, beside the same name."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from html_pages import Page, numbers_in
from rich_work import rich_work

from agreement.primitives.settings import Settings
from agreement.report.csv.report import report_tables
from agreement.report.full_report import full_report
from agreement.report.html.charts import bar_scale
from agreement.report.html.report import report_html
from agreement.report.json.report import report_json, report_record
from agreement.report.latex.report import report_latex
from agreement.report.markup import interval, score, share
from agreement.report.numbers import rounded
from agreement.report.text.report import report_text
from agreement.score.losses import Loss
from agreement.trends.corrected import History
from annotator.measurement.report import ReportOptions, measure_sources
from panelwise.domain.annotation import Annotation, Status
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record


@dataclass(frozen=True, slots=True)
class Outputs:
    """One report in all formats. record: the JSON. tables: file of CSV -> its rows."""

    record: dict[str, Any]
    tables: dict[str, list[dict[str, str]]]
    text: str
    page: Page
    latex: dict[str, str]

    def row(self, table: str, *names: str) -> dict[str, str]:
        """The row of a CSV table that begins with these cells."""
        [found] = [row for row in self.tables[table] if list(row.values())[: len(names)] == list(names)]
        return found

    def line(self, *words: str) -> str:
        """The first line of the text that begins with these words, whatever the blanks."""
        pattern = r"\s+".join(map(re.escape, words))
        found = re.search(rf"^\s*{pattern}\b.*$", self.text, re.MULTILINE)
        assert found is not None, words
        return found[0]

    def cells(self, file: str, *names: str) -> list[str]:
        """The cells of a row of a LaTeX table after those with these names."""
        for line in self.latex[file].splitlines():
            cells = line.removesuffix(" \\\\").split(" & ")
            if cells[: len(names)] == list(names):
                return cells[len(names) :]
        raise AssertionError(names)

    def shown(self, *values: float | None) -> None:
        """Each is on the page, exact for machines and rounded to read."""
        for value in values:
            assert value is None or (value, rounded(value)) in {
                (each, said.removeprefix("+")) for each, said in self.page.numbers
            }, value


def on_own_screen(work: Annotation) -> Annotation:
    """The work of two people as Panelwise's own screen records it: one has no times, and one figure no part."""
    if work.annotator == "cho":
        return work
    number = int(work.figure.id.removeprefix("f"))
    viewed = ("A", "q1")[: number % 3]
    seconds = None if work.annotator == "ben" else number + 0.5
    return replace(work, viewed=viewed, unchanged=number % 4 == 0, seconds=seconds)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Outputs:
    file = tmp_path_factory.mktemp("work") / "annotations.jsonl"
    write_lines(file, map(annotation_record, map(on_own_screen, rich_work())))
    report = measure_sources([file], Problems(), ReportOptions(settings=Settings(resamples=200)))
    tables = {name: list(csv.DictReader(text.splitlines())) for name, text in report_tables(report).items()}
    page = Page.of(report_html(report))
    return Outputs(json.loads(report_json(report)), tables, report_text(report), page, report_latex(report))


def same(cell: str, value: float | None) -> None:
    assert cell == "" if value is None else float(cell) == value


def six(value: float | None) -> str:
    return "-" if value is None else f"{value:.6f}"


def four(ends: list[float] | None) -> str:
    return "-" if ends is None else f"{ends[0]:.4f} to {ends[1]:.4f}"


def test_the_headline_and_the_boxes(outputs: Outputs) -> None:
    record, boxes = outputs.record, outputs.record["boxes"]
    at = dict(zip(boxes["thresholds"], boxes["f1"], strict=True))
    rows: list[tuple[float, str, str, str]] = [
        (record["iaa"], "IAA", "IAA", "IAA (mean over ordered pairs)"),
        (record["pooled"], "pooled", "pooled", "Pooled (over gold subfigures)"),
        (record["macro"], "per figure", "per figure", "Per figure (mean of the figures' own scores)"),
        (boxes["mean_f1"], "box F1 mean", ".50:.05:.95", "Box F1, mean over IoU 0.50 to 0.95"),
        (boxes["mean_iou"], "mean IoU", ".50:.05:.95", "Mean IoU of matched boxes"),
    ]
    for value, name, words, title in rows:
        same(outputs.row("summary.csv", name)["value"], value)
        assert six(value) in outputs.line(*words.split())
        assert outputs.cells("agreement.tex", title)[0] == score(value)
        outputs.shown(value)
    low, high = record["interval"]
    same(outputs.row("summary.csv", "IAA low")["value"], low)
    same(outputs.row("summary.csv", "IAA high")["value"], high)
    assert four([low, high]) in outputs.line("95", "%", "CI")
    assert outputs.cells("agreement.tex", "IAA (mean over ordered pairs)")[1] == interval((low, high))
    outputs.shown(low, high)
    for threshold in (0.5, 0.75, 0.9):
        same(outputs.row("summary.csv", f"box F1 at {threshold:.2f}")["value"], at[threshold])
        assert f"{at[threshold]:.4f} at IoU {threshold:.2f}" in outputs.line("boxes")
        assert outputs.cells("agreement.tex", f"Box F1 at IoU {threshold:.2f}")[0] == score(at[threshold])
        outputs.shown(at[threshold])


def test_the_four_questions(outputs: Outputs) -> None:
    """Found, labelled, placed, described: alpha as KaLOS has it, localisation, alpha on tokens."""
    panels, tokens = outputs.record["panel_agreement"], outputs.record["token_alpha"]
    joint, spans = outputs.record["joint_agreement"], outputs.record["span_alpha"]
    threshold = outputs.record["box_threshold"]
    for value, name, title in (
        (panels["detection"], "alpha on panels", "Alpha on panels"),
        (panels["label"], "alpha on labels", "Alpha on labels (of those who drew the panel)"),
        (panels["localisation"], "localisation", "Localisation (on GIoU)"),
        (tokens["nominal"], "alpha on tokens", "Alpha on tokens"),
        (spans["alpha"], "alpha on spans", "Alpha on spans of labels (unitizing)"),
        (joint["alpha"], "joint alpha", "Joint alpha on boxes and text"),
        (threshold["min_iou"], "cleanest box threshold", "IoU that parts matched boxes cleanest"),
    ):
        assert value is not None
        same(outputs.row("summary.csv", name)["value"], value)
        assert six(value) in outputs.line(*name.replace("box ", "").split())
        assert outputs.cells("agreement.tex", title)[0] == score(value)
        outputs.shown(value)
    for record, key, name, title in (
        (spans, "interval", "alpha on spans", "Alpha on spans of labels (unitizing)"),
        (joint, "interval", "joint alpha", "Joint alpha on boxes and text"),
        (joint, "within_interval", "joint alpha within figures", "Joint alpha, by chance within figures"),
    ):
        low, high = record[key]
        same(outputs.row("summary.csv", f"{name} low")["value"], low)
        same(outputs.row("summary.csv", f"{name} high")["value"], high)
        assert f"{low:.4f} to {high:.4f}" in outputs.text
        assert outputs.cells("agreement.tex", title)[1] == interval((low, high))
        outputs.shown(low, high)
    for key, title in (
        ("within", "Joint alpha, by chance within figures"),
        ("separation", "Separation of figures (Kolmogorov-Smirnov)"),
    ):
        assert six(joint[key]) in outputs.text
        assert outputs.cells("agreement.tex", title)[0] == score(joint[key])
        outputs.shown(joint[key])
    assert six(tokens["masi"]) in outputs.line("sets", "by", "MASI")
    same(outputs.row("summary.csv", "alpha on tokens, sets by MASI")["value"], tokens["masi"])
    assert outputs.cells("agreement.tex", "Alpha on tokens, sets by MASI")[0] == score(tokens["masi"])
    outputs.shown(tokens["masi"])


def cells_at(outputs: Outputs, threshold: float) -> list[str]:
    """The cells of sweep.tex at a threshold: neighbours with equal numbers are one row."""
    for line in outputs.latex["sweep.tex"].splitlines():
        thresholds, *cells = line.removesuffix(" \\\\").split(" & ")
        ends = re.findall(r"\d\.\d\d", thresholds)
        if cells and ends and float(ends[0]) <= threshold <= float(ends[-1]):
            return cells
    raise AssertionError(threshold)


def test_the_sweep_over_thresholds(outputs: Outputs) -> None:
    sweep = outputs.record["sweep"]
    f1 = dict(zip(outputs.record["boxes"]["thresholds"], outputs.record["boxes"]["f1"], strict=True))
    heads, line = (
        outputs.line("score", "by").split()[4:],
        outputs.text.split("score by min IoU")[1].splitlines()[1],
    )
    found = dict(zip(heads, line.split()[1:], strict=True))
    for threshold, value in zip(sweep["min_iou"], sweep["score"], strict=True):
        same(outputs.row("summary.csv", f"IAA at IoU {threshold:.2f}")["value"], value)
        assert cells_at(outputs, threshold) == [
            score(value),
            score(f1[threshold]) if threshold in f1 else "",
        ]
        outputs.shown(value)
        name = f"{threshold:.2f}".removeprefix("0")
        assert name not in found or float(found[name]) == pytest.approx(value, abs=6e-4)
    assert len(found) == 12


def test_pairs_and_annotators(outputs: Outputs) -> None:
    for pair in outputs.record["pairs"]:
        names = pair["gold"], pair["predicted"]
        row, line = outputs.row("pairs.csv", *names), outputs.line(*names)
        low, high = pair["interval"]
        for key, value in (("score", pair["score"]), ("low", low), ("high", high), ("counted", pair["counted"])):
            same(row[key], value)
        assert six(pair["score"]) in line
        assert four(pair["interval"]) in line
        assert outputs.cells("pairs.tex", *names) == [
            *(score(pair["score"]), interval((low, high)), str(pair["counted"]), str(pair["figures"]))
        ]
        outputs.shown(pair["score"], low, high)
    heads = (
        *("annotator", "as gold", "as predicted", "IAA without"),
        *("spread", "alpha on panels without", "median box IoU"),
    )
    keys = ("annotator", "as_gold", "as_predicted", "iaa_without", "spread", "alpha_without", "median_iou")
    means, spreads = outputs.text.split("annotator         as gold")[1], outputs.text.split("\nconsistency ")[1]
    for each in outputs.record["annotators"]:
        name = each["annotator"]
        row = outputs.row("annotators.csv", name)
        for head, key in zip(heads[1:], keys[1:], strict=True):
            same(row[head], each[key])
            outputs.shown(each[key])
        for part, own in ((means, keys[1:4]), (spreads, keys[4:])):
            [line] = re.findall(rf"^{name} .*$", part.split("\n\n")[0], re.MULTILINE)
            assert [six(each[key]) for key in own] == line.split()[1 : 1 + len(own)]
        assert outputs.cells("annotators.tex", name)[3:] == [score(each[key]) for key in keys[1:4]]
        assert outputs.cells("consistency.tex", name) == [score(each[key]) for key in keys[4:]]


def test_habits_with_their_intervals(outputs: Outputs) -> None:
    part = outputs.text.split("\nhabits ")[1].split("\n\n")[0]
    heads = {"missed": "missed panels", "extra": "extra boxes", "size": "box size"}
    for each in outputs.record["habits"]:
        row = outputs.row("habits.csv", each["annotator"])
        [line] = re.findall(rf"^{each['annotator']} .*$", part, re.MULTILINE)
        cells = []
        for key, head in heads.items():
            value, ends = each[key], each[f"{key}_interval"]
            assert value is not None
            assert ends is not None
            for column, number in ((head, value), (f"{head} low", ends[0]), (f"{head} high", ends[1])):
                same(row[column], number)
            outputs.shown(value, *ends)
            sign = "+" if key == "size" else ""
            short = [f"{number:{sign}.3f}".replace("0.", ".", 1) for number in (value, *ends)]
            assert f"{short[0]} {short[1]} to {short[2]}" in line
            cells.append(f"{score(value, sign=bool(sign))} ({interval(tuple(ends), sign=bool(sign))})")
        assert outputs.cells("habits.tex", each["annotator"]) == cells


def test_attention_with_reasons_where_it_is_unknown(outputs: Outputs) -> None:
    part = outputs.text.split("\nattention  ")[1]
    shares = {}
    for own in outputs.record["attention"]:
        name, keys = own["annotator"], ("unchanged", "unseen", "fast")
        row = outputs.row("attention.csv", name)
        for key, head in zip(keys, ("unchanged", "never looked at", "fast"), strict=True):
            same(row[head], own[key])
            assert (own[key] is None) == bool(own[f"{key}_reason"]) == bool(row[f"{head} reason"])
        values = [own[key] for key in keys]
        shares[name] = values, own["figures"]
        [line] = re.findall(rf"^{name} .*$", part, re.MULTILINE)
        assert line.split()[1:] == [*map(six, values), str(own["figures"])]
        assert outputs.cells("attention.tex", name) == [*map(score, values), str(own["figures"])]
        outputs.shown(*values)
    # f0 to f9 are accepted by ann, f0 twice; ben rejected f8, and has one box more or less in two figures.
    assert shares["ann"][1] == 10
    assert shares["ann"][0][0] == 3 / 10
    assert shares["ann"][0][2] == 4 / 10
    assert shares["ben"] == ([2 / 9, pytest.approx(shares["ben"][0][1]), None], 9)
    assert shares["cho"] == ([None, None, None], 0)
    for reason in ("own screen", "no time recorded"):
        assert reason in " ".join(part.split())
        assert reason in outputs.latex["attention.tex"]


def test_losses_and_their_bars(outputs: Outputs) -> None:
    losses = {Loss(cause): lost for cause, lost in outputs.record["losses"].items()}
    whole = sum(losses.values())
    for cause, lost in losses.items():
        same(outputs.row("summary.csv", f"lost: {cause}")["value"], lost)
        if lost:
            assert six(lost) in outputs.line(*cause.display.split())
            assert outputs.cells("losses.tex", cause.display.capitalize()) == [score(lost), share(lost / whole)]
            outputs.shown(lost)
    every = [*losses.values(), *(lost for pair in outputs.record["pairs"] for lost in pair["losses"].values())]
    lengths = {round(200 * lost / bar_scale(every), 2) for lost in every if lost}
    drawn = {float(bar["width"]) for bar in outputs.page.all("rect") if bar.get("class") == "fill"}
    assert drawn == lengths


def reliabilities(record: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    yield from (("accept or reject", "", each) for each in record["status_dawid_skene"])
    for key in ("compound", "types"):
        judgement = record["items"][key]
        yield from ((judgement["name"], "", each) for each in judgement.get("dawid_skene", ()))
    for verdict in record["items"]["verdicts"]:
        for each in verdict["dawid_skene"]:
            yield "question-answer verdicts", verdict["qa_pair_type"], each


def test_chance_and_dawid_skene(outputs: Outputs) -> None:
    for each in outputs.record["categories"]:
        name = each["name"]
        for key, head in (
            ("observed", "observed"),
            ("fleiss_kappa", "kappa"),
            ("gwet_ac1", "AC1"),
            ("alpha", "alpha"),
        ):
            same(outputs.row("summary.csv", f"{name}: {head}")["value"], each[key])
            outputs.shown(each[key])
        values = [each[key] for key in ("observed", "fleiss_kappa", "gwet_ac1", "alpha")]
        assert outputs.cells("chance.tex", name.capitalize())[:4] == list(map(score, values))
        block = outputs.text.split("all annotators           observed")[1]
        [line] = re.findall(rf"^{re.escape(name)} .*$", block, re.MULTILINE)[:1]
        assert [six(value) for value in values] == line.removeprefix(name).split()[:4]
    for each in outputs.record["status"]:
        one, other = each["annotators"]
        assert outputs.cells("chance.tex", f"Accept or reject: {one} and {other}")[:2] == [
            score(each["observed"]),
            score(each["kappa"]),
        ]
        outputs.shown(each["observed"], each["kappa"])
    known = list(reliabilities(outputs.record))
    assert len({name for name, _, _ in known}) >= 3
    assert any(each["accuracy"] is not None for _, _, each in known)
    for name, kind, each in known:
        same(outputs.row("reliability.csv", name, kind, each["annotator"])["accuracy"], each["accuracy"])
        title = f"{name.capitalize()}, {kind}" if kind else name.capitalize()
        assert outputs.cells("reliability.tex", title, each["annotator"]) == [
            score(each["accuracy"]),
            str(each["units"]),
        ]
        if kind in ("", "all"):
            outputs.shown(each["accuracy"])
            assert each["accuracy"] is None or six(each["accuracy"]) in outputs.text


def test_no_format_has_a_number_that_json_lacks(outputs: Outputs, tmp_path: Path) -> None:
    known = numbers_in(outputs.record)
    assert {value for value, _ in outputs.page.numbers} <= known
    for name, rows in outputs.tables.items():
        for row in rows:
            for cell in row.values():
                assert not re.fullmatch(r"-?\d+\.\d+(e-\d+)?", cell or "") or float(cell) in known, (name, cell)


def test_independence_and_who_knew_figures() -> None:
    work = rich_work()
    first = next(each for each in work if each.subfigures and each.status is Status.ACCEPTED)
    changed = replace(
        first,
        subfigures=tuple(replace(part, subcaption=frozenset()) for part in first.subfigures),
        saved_at=first.saved_at + timedelta(days=9),
    )
    knew = {(each.annotator, each.figure.id): first.saved_at - timedelta(days=999) for each in work[-6:]}
    history = History(knew, (changed,), frozenset({(first.annotator, first.figure.id)}))
    report = full_report(work, Settings(resamples=200), phase=first.phase, history=history)
    record, page, latex = report_record(report), Page.of(report_html(report)), report_latex(report)
    rows = {row["name"]: row["value"] for row in csv.DictReader(report_tables(report)["summary.csv"].splitlines())}
    text, paragraph = report_text(report), latex["methods.tex"]
    corrected, seen = record["corrected"], record["acquainted"]
    assert (corrected["annotations"], corrected["sent_back"]) == (1, 1)
    assert corrected["iaa"] < record["iaa"]
    assert rows["annotations corrected"] == rows["annotations sent back"] == "1"
    assert "corrected          1 annotation after a hint (1 sent back), not counted" in text
    for value, row, words, title in (
        (corrected["iaa"], "IAA with corrections", "IAA corrected", "IAA with work corrected later"),
        (seen["iaa"], "IAA where seen", "IAA where seen", "IAA where an annotator knew the figure"),
        (seen["new_iaa"], "IAA elsewhere", "IAA elsewhere", "IAA elsewhere"),
    ):
        assert value is not None
        same(rows[row], value)
        assert re.search(rf"^\s*{words}\s+{value:.6f}", text, re.MULTILINE), words
        assert f"{title} & {score(value)} &" in latex["agreement.tex"]
        assert score(value) in paragraph
        assert (value, rounded(value)) in page.numbers
    same(rows["IAA elsewhere low"], seen["new_interval"][0])
    assert interval(tuple(seen["new_interval"])) in latex["agreement.tex"]
    for person in seen["annotators"]:
        assert f"{person['annotator']}: {person['figures']} of {person['of']} figures" in text
        assert f"knew {person['figures']} of {person['of']} figures" in re.sub(r"<[^>]*>", "", report_html(report))
