"""LaTeX for a paper: any name prints without breaking the source. Its numbers: see test_same_numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from builders import a_figure, a_subfigure, an_annotation
from rich_work import rich_work
from running import run_command

from agreement.primitives.rules import Common, Mode
from agreement.primitives.settings import Settings
from agreement.report.latex.figures import FIGURES, can_draw, report_figures
from agreement.report.latex.report import FILES, report_latex
from agreement.report.markup import escaped
from agreement.report.summary import Report, report_on
from annotator.cli.agreement.main import group
from panelwise.domain.annotation import Status
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record

HOSTILE = 'a_b & {c} \\d 100% #1 $x^2~<y|z>"\x1b'
#: Commands and environments that the files use; any other would come from a name.
KNOWN = """
begin end centering small setlength tabcolsep caption label toprule midrule bottomrule par smallskip footnotesize
cite texttt documentclass usepackage section input bibliographystyle bibliography textbackslash textasciicircum
textasciitilde textless textgreater textbar textquotedbl geq IfFileExists includegraphics paragraph
"""


QUICK = Settings(resamples=50)


def measured(*names: str, settings: Settings = QUICK) -> Report:
    """Three figures; the annotators differ in words of one panel, in a box, and in whether to accept."""
    work = []
    for number, figure in enumerate(a_figure(f"f{number}") for number in range(3)):
        for place, name in enumerate(names):
            box = (0, 0, 400, 300 + 290 * (number == place == 1))
            first = a_subfigure("A", box=box, tokens=(4, 6, 7) if place else (4, 6))
            second = a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13))
            rejected = number == 2 and place == 0
            work.append(
                an_annotation(
                    figure,
                    annotator=name,
                    subfigures=()
                    if rejected
                    else (first, second, a_subfigure("C", box=(0, 500, 9, 600), tokens=())),
                    status=Status.REJECTED if rejected else Status.ACCEPTED,
                    seeded_by="classic-1" if place == 1 else None,
                )
            )
    return report_on(work, settings, phase="1")


def rows(text: str) -> list[list[str]]:
    """The cells of a table between its rules."""
    body = text.partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    return [line.removesuffix(" \\\\").split(" & ") for line in body.splitlines()]


def three(value: float | None) -> str:
    return "--" if value is None else f"{value:.3f}"


def test_the_methods_say_what_was_measured_on_what_and_what_was_left_out() -> None:
    report = measured("ann1", "ann2", "ann3")
    text = report_latex(report)["methods.tex"]
    iaa = rows(report_latex(report)["agreement.tex"])[0]
    for said in (
        "IoU-gated token F1 of MedICaT~\\cite{subramanian2020medicat} (rules \\texttt{paper})",
        "If that IoU is below 0.5, the gold subfigure scores 0",
        "Tokens that count: alphanumeric, each once.",
        "3 annotators in phase 1 submitted 9 annotations of 3 figures with 24 subfigures",
        f"IAA over 6 ordered pairs is {iaa[1]} (95\\,\\% confidence interval {iaa[2]}; percentile bootstrap over "
        "figures, 50 resamples, seed 0).",
        "without a subcaption",
        "1 figure left out of a pair: rejected",
        "3 annotations began from a model's prediction",
    ):
        assert said in text
    bibliography = report_latex(report)["references.bib"]
    assert set(re.findall(r"\\cite\{(\w+)\}", text)) == set(
        re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE)
    )


def test_other_settings_are_stated() -> None:
    settings = Settings(mode=Mode.OFFICIAL, common=Common.BOTH, min_iou=0.75, resamples=0)
    text = report_latex(measured("ann1", "ann2", settings=settings))["methods.tex"]
    for said in (
        "(rules \\texttt{official-code})",
        "below 0.75",
        "alphanumeric, as often as listed",
        "removed from both sides",
        "score 0 otherwise, as in the authors' code",
        "without a confidence interval (no resamples were asked for)",
    ):
        assert said in text


def test_what_is_undefined_is_a_dash_with_its_reason() -> None:
    files = report_latex(measured("ann1"))
    assert rows(files["agreement.tex"])[0] == ["IAA (mean over ordered pairs)", "--", "--"]
    assert "(mean over ordered pairs): one annotator only (ann1); agreement needs two." in files["agreement.tex"]
    assert "Box F1 at IoU 0.50: no gold and no predicted box." in files["agreement.tex"]
    assert "IAA is undefined: one annotator only (ann1); agreement needs two." in files["methods.tex"]
    assert rows(files["pairs.tex"]) == []
    assert "IAA is undefined." in files["losses.tex"]
    checked(files)


def checked(files: dict[str, str]) -> None:
    """Braces and environments balance, every special character is escaped, every row has the table's cells."""
    assert tuple(files) == FILES
    for name, text in files.items():
        assert text.endswith("\n")
        assert not any(ord(char) < 32 and char != "\n" for char in text)
        depth, plain = 0, re.sub(r"\\[{}$&#_%,\\]", "", re.sub(r"(?m)^% .*$", "", text))
        for char in plain:
            depth += (char == "{") - (char == "}")
            assert depth >= 0, name
        assert depth == 0, name
        if name.endswith(".bib"):
            continue
        assert set(re.findall(r"\\([a-zA-Z]+)", plain)) <= set(KNOWN.split())
        assert not re.search(r"[#%_^]", re.sub(r"\\(cite|input)\{\w+\}", "", plain)), name
        assert "~" not in re.sub(r"~\\cite", "", plain)
        opened = re.findall(r"\\begin\{(\w+)\}", plain)
        assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+)\}", plain))
        assert plain.count("$") % 2 == 0
        for table in re.findall(r"\\begin\{tabular\}\{([lr]+)\}", text):
            body = text.partition("\\toprule\n")[2].partition("\\bottomrule")[0]
            for line in body.splitlines():
                if line != "\\midrule":
                    assert len(re.findall(r"(?<!\\)&", line)) == len(table) - 1, line


@pytest.mark.parametrize("names", [("ann1", "ann2", "ann3"), (HOSTILE, "\\input{x}", "}{")])
def test_any_name_leaves_the_source_balanced_and_escaped(names: tuple[str, ...]) -> None:
    files = report_latex(measured(*names))
    checked(files)
    assert escaped(names[0]) in files["pairs.tex"]


def test_a_negative_kappa_keeps_its_sign_in_what_pdflatex_compiles() -> None:
    report = report_on([each for each in rich_work() if each.saved_at.day > 2], QUICK, phase="1")
    assert any(each.fleiss is not None and each.fleiss < 0 for each in report.categories)
    files = report_latex(report)
    assert [name for name, text in files.items() if not text.isascii()] == []
    assert "but kappa is $-$0." in files["explanation.tex"]


def test_every_special_character_is_escaped() -> None:
    assert escaped(HOSTILE) == (
        r"a\_b \& \{c\} \textbackslash{}d 100\% \#1 \$x\textasciicircum{}2\textasciitilde{}\textless{}y\textbar{}z"
        r"\textgreater{}\textquotedbl{}\textbackslash{}x1b"
    )


@pytest.mark.parametrize("names", [("ann1", "ann2", "ann3"), (HOSTILE, "$x$ 😀", "图")])
def test_figures_are_vector_graphics_and_the_same_for_the_same_report(names: tuple[str, ...]) -> None:
    pytest.importorskip("matplotlib")
    report = measured(*names)
    figures = report_figures(report)
    assert tuple(figures) == tuple(FIGURES)
    assert all(data.startswith(b"%PDF-") and b"/Subtype /Image" not in data for data in figures.values())
    assert report_figures(report) == figures
    assert report_figures(measured("ann1")) == {}


def test_the_document_includes_every_figure_that_is_there() -> None:
    files = report_latex(measured("ann1", "ann2"))
    both = files["main.tex"] + files["appendix.tex"]
    for name in FIGURES:
        assert both.count(f"\\IfFileExists{{{name}}}{{\\begin{{figure}}") == 1


def test_the_document_is_what_a_paper_prints_and_the_appendix_has_everything_else() -> None:
    files = report_latex(measured("ann1", "ann2"))
    paper, appendix = (re.findall(r"\\input\{(\w+)\}", files[name]) for name in ("main.tex", "appendix.tex"))
    assert paper == ["methods", "agreement", "pairs"]
    own = {name.removesuffix(".tex") for name in FILES if name.endswith(".tex")}
    assert sorted(paper + appendix) == sorted(own - {"main", "appendix"})
    # BibTeX fails on a document without a citation.
    assert ("\\bibliography{" in files["main.tex"], "\\bibliography{" in files["appendix.tex"]) == (True, False)


def test_the_command_writes_latex_beside_its_report(tmp_path: Path) -> None:
    file, folder = tmp_path / "a.jsonl", tmp_path / "paper" / "tables"
    work = [
        an_annotation(a_figure(figure), annotator=name, subfigures=(a_subfigure(tokens=tokens),))
        for figure in ("f1", "f2")
        for name, tokens in (("A", (4, 6, 7)), ("B", (4, 6)))
    ]
    write_lines(file, map(annotation_record, work))
    done = run_command(
        group, "agreement", "report", file, "--format", "json", "--bootstrap", "20", "--latex", folder
    )
    assert done.returncode == 0, done.stderr
    drawn = FIGURES if can_draw() else ()
    assert sorted(path.name for path in folder.iterdir()) == sorted((*FILES, *drawn))
    assert ('pip install "panelwise[plots]"' in done.stderr) == (not drawn)
    value = rows((folder / "agreement.tex").read_text(encoding="utf-8"))[0][1]
    assert value == three(json.loads(done.stdout)["iaa"])
    archive = tmp_path / "paper.zip"
    packed = run_command(group, "agreement", "report", file, "--bootstrap", "20", "--latex", archive)
    assert packed.returncode == 0, packed.stderr
    with ZipFile(archive) as opened:
        texts = {name: opened.read(name) for name in opened.namelist()}
    assert sorted(texts) == sorted(path.name for path in folder.iterdir())
    assert texts["main.tex"] == (folder / "main.tex").read_bytes()
    done = run_command(group, "agreement", "report", file, "--latex", file)
    assert done.returncode == 2
