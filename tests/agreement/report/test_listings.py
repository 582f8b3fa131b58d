"""The tables of a report that CSV and LaTeX share: each has a file of its own, with its rows or its caption."""

from __future__ import annotations

from rich_work import rich_work

from agreement.primitives.settings import Settings
from agreement.report.csv.report import TABLES, report_tables
from agreement.report.full_report import full_report
from agreement.report.latex.report import FILES, report_latex
from agreement.report.markup import escaped
from agreement.report.sections.listings import listings


def test_each_listed_table_is_a_file_of_csv_or_of_latex_with_its_rows() -> None:
    report = full_report(rich_work(), Settings(resamples=5))
    listed = list(listings(report))
    assert len({each.key for each in listed}) == len(listed)
    tables, latex = report_tables(report), report_latex(report)
    assert (tuple(tables), tuple(latex)) == (TABLES, FILES)
    for each in listed:
        assert f"{each.key}.csv" in tables or each.caption
        if f"{each.key}.csv" in tables:
            assert len(tables[f"{each.key}.csv"].splitlines()) == 1 + len(each.rows)
        if each.caption and each.shown and each.rows:
            assert escaped(each.caption) in latex[f"{each.key}.tex"]
    with_captions = {f"{each.key}.tex" for each in listed if each.caption}
    texts = {"methods.tex", "explanation.tex", "references.bib", "main.tex", "appendix.tex"}
    assert set(FILES) - texts - with_captions == {"chance.tex"}
