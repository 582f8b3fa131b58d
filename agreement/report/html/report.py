"""A report as one HTML file: offline, without scripts, readable in five minutes, also on paper."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.report.explanations import chance_explained
from agreement.report.html.charts import heat_scale, plot
from agreement.report.html.page import render
from agreement.report.html.parts import Links, no_pictures, shared_values
from agreement.report.html.wording import meaning, person_words
from agreement.report.html.worst import Pictures
from agreement.report.methods import PLAIN, methods
from agreement.report.sections.course import period_rows
from agreement.report.sections.people import pair_rows
from agreement.report.summary import ATTENTION_NOTE, Report

#: Columns of the matrix that a sheet of A4 has room for; of more annotators it is printed in blocks.
MOST_COLUMNS = 8


def report_html(
    report: Report,
    *,
    pictures: Pictures = no_pictures,
    view: str | None = None,
    sources: Sequence[str] = (),
    slices: bool = True,
) -> str:
    """Return a report as a page, with a final newline. Equal reports and pictures give equal bytes.

    pictures: a figure's image as JPEG; called once for each of `report.worst`. view: the address of the
    adjudication view for links. sources: the origin of the work, as the page names it. slices: whether pairs link
    to their slices of the queue, whose addresses have annotators' names.
    """
    links, items = Links(view, report.phase, slices=slices), report.items
    # Of work without a single subfigure boxes and captions have nothing to tell.
    alone = items is not None and not report.counts.subfigures
    rows = [] if alone else pair_rows(report)
    names = [person.name for person in report.annotators]
    periods = report.drift.periods if report.drift is not None else ()
    shared = shared_values(report, rows, pictures, links, sources)
    again = any(each.figures for each in report.repeats)
    kinds = items is not None and (items.compound or items.types or items.count) is not None
    sections = {
        "headline": "" if alone else "IAA",
        "matrix": "Pairs" if rows else "",
        "people": "Annotators" if rows else "",
        "losses": "Losses" if rows else "",
        "worst": "Worst figures" if rows else "",
        "boxes": "Boxes" if rows else "",
        "kinds": "Figure types" if kinds else "",
        "verdicts": "Pairs judged" if items is not None and items.verdicts else "",
        "answers": "Answers" if items is not None and items.answers is not None else "",
        "drift": "Over time" if report.drift is not None and not alone else "",
        "phases": "Phases" if report.other_phase is not None and not alone else "",
        "repeats": "Oneself" if again and not alone else "",
        "chance": "Beyond chance" if report.statuses else "",
        "attention": "Attention" if report.attentive else "",
        "counts": "Counts",
    }
    return render(
        "report.html",
        {
            **shared,
            "report": report,
            "alone": alone,
            "kinds": kinds,
            "names": names,
            "blocks": [names[at : at + MOST_COLUMNS] for at in range(0, len(names), MOST_COLUMNS)],
            "cells": {(row.pair.gold, row.pair.predicted): row for row in rows},
            "heat_scale": heat_scale(),
            "methods": methods(report, PLAIN),
            "sweep_plot": plot(
                [f"{point.min_iou:.2f}" for point in report.sweep], [point.score for point in report.sweep]
            ),
            "meaning": meaning(report),
            "chance_explained": chance_explained(report),
            "again": again,
            "attention_note": ATTENTION_NOTE,
            "sections": [(id, name) for id, name in sections.items() if name],
            "person_words": {person.name: person_words(person, report.pairs) for person in report.annotators},
            "periods": period_rows(report.drift),
            "drift_plot": plot(
                [period.name for period in periods],
                [period.iaa for period in periods],
                intervals=[period.interval for period in periods],
            ),
        },
    )
