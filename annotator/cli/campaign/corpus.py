"""`annotator corpus`: from published articles to figures for annotation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click

from annotator.cli.commandline import exit_on, finish, progress, warned_problems, write_output
from annotator.cli.parameters import Argument, Option, SignatureGroup
from annotator.cli.paths import InPath, OutPath, refuse_input
from annotator.cli.shared_options import AnySeed, OutFile, OutText


@click.group(cls=SignatureGroup)
def command() -> None:
    """Build a corpus of figures from published articles."""


@command.command(epilog="Example: annotator corpus extract articles/ --out figures.jsonl")
def extract(
    articles: Path,
    out: OutFile,
    metadata: Annotated[
        tuple[Path, ...],
        Option(
            "Metadata of S2ORC's papers, an object a line (repeatable) [default: the file beside each].",
            type=InPath(dir_okay=False),
        ),
    ],
    as_is: Annotated[
        bool,
        Option("Leave groups of panels and several images of a figure as they are in the article.", "--as-is"),
    ],
) -> None:
    """Extract figures, captions and citing sentences from ARTICLES, a file or a folder with its subfolders.

    Reads JATS and NLM XML (.xml, .nxml), JSON of S2ORC and docling (.json), and files with one of these a line
    (.jsonl), each perhaps compressed (.gz). Bad files and lines are named, with exit status 1. An interrupted run
    continues. Images are looked for beside each article; ARTICLES is the folder for `import figures --images`. A
    figure of several images, or a group of panels, is one figure with `images`, which import puts together.
    """
    from annotator.corpus.extract import Tally, extract
    from annotator.corpus.shards import article_names, is_shard

    for path in metadata:
        refuse_input(out, path)
    problems = warned_problems()
    tally = Tally()
    names = list(article_names(articles))
    total = None if any(map(is_shard, names)) else len(names)
    done = extract(articles, out, problems, metadata, as_is=as_is)
    for so_far in progress(done, "extracting", total=total, unit="articles"):
        tally = so_far
    finish(tally.summary(), problems)


Figures = Annotated[Path, Argument(type=InPath(dir_okay=False))]
Exclude = Annotated[
    tuple[Path, ...],
    Option(
        "Leave out these figures: a file of figures (by id, or PMC id and caption), a .txt of figure ids, PMC ids "
        "and DOIs, one a line, or ROCO's lists or its folder (repeatable).",
        "--exclude-list",
    ),
]


@command.command(
    "filter", epilog="Example: annotator corpus filter figures.jsonl --out medical.jsonl --licence CC-BY"
)
def filter_(
    figures: Figures,
    out: OutFile,
    dropped: Annotated[Path | None, Option("File for the ids of the others, with reasons.", type=OutPath())],
    keywords: Annotated[
        Path | None,
        Option("Keywords, one a line [default: the MedICaT paper's medical ones].", type=InPath(dir_okay=False)),
    ],
    no_keywords: Annotated[bool, Option("Keep figures whatever their text.")],
    capitals: Annotated[bool, Option('Find keywords in capitals, such as "CAT", in capitals only.')],
    licences: Annotated[tuple[str, ...], Option("Only this licence, such as CC-BY (repeatable).", "--licence")],
    images: Annotated[
        Path | None,
        Option(
            "Folder of images: drop near copies of an earlier one (panelwise[corpus]).",
            type=InPath(file_okay=False),
        ),
    ],
    exclude: Exclude,
) -> None:
    """Select FIGURES by keywords in caption and references, by licence, and by lists of figures to leave out.

    Keywords are whole words, also in the plural, in upper or lower case as in the MedICaT paper. A licence without
    a version allows all. Prints what was dropped and why.
    """
    from annotator.corpus.selection.exclusions import Exclusions
    from annotator.corpus.selection.filter import Rules, Tally, filter_figures
    from annotator.corpus.selection.keywords import MEDICAL, Keywords
    from annotator.corpus.selection.near_duplicates import NearDuplicates

    if no_keywords and (keywords is not None or capitals):
        raise click.UsageError(
            f"{'--capitals' if capitals else '--keywords'} and --no-keywords exclude each other"
        )
    if dropped == out:
        raise click.UsageError("--dropped and --out name the same file")
    for path in (out, dropped):
        refuse_input(path, figures, *exclude, *filter(None, (keywords,)))
    problems, tally = warned_problems(), Tally()
    rules = Rules(
        keywords=None if no_keywords else Keywords.read(keywords or MEDICAL),
        capitals=capitals,
        licences=licences,
        exclusions=Exclusions.of(exclude, problems),
        duplicates=NearDuplicates(images) if images is not None else None,
    )
    for so_far in progress(
        filter_figures(figures, out, rules, problems, dropped=dropped), "filtering", unit="figures"
    ):
        tally = so_far
    for line in tally.lines():
        click.echo(line)
    exit_on(problems)


@command.command("join", epilog="Example: annotator corpus join figures.jsonl s2orc.jsonl --out joined.jsonl")
def join_(figures: Figures, others: Figures, out: OutFile) -> None:
    """Add to FIGURES the citing sentences that OTHERS, of the same articles, has for them.

    Both are figures.jsonl. Articles are joined by DOI or PMC id, figures by number, else by caption (Jaccard index
    over 0.8), as in the MedICaT paper.
    """
    from annotator.corpus.join import Tally, join

    refuse_input(out, figures, others)
    problems, tally = warned_problems(), Tally()
    for so_far in progress(join(figures, others, out, problems), "joining", unit="figures"):
        tally = so_far
    finish(tally.summary(), problems)


@command.command(
    "sample", epilog="Example: annotator corpus sample medical.jsonl --out sample.jsonl --figures 200 --by year"
)
def sample_(
    figures: Figures,
    out: OutFile,
    count: Annotated[int, Option("Figures to draw.", "--figures", type=click.IntRange(min=1))],
    by: Annotated[
        tuple[Literal["article", "type", "year", "journal"], ...],
        Option("Draw each stratum in its proportion (repeatable; the first is balanced best)."),
    ],
    seed: AnySeed,
    log: Annotated[
        Path | None,
        Option(
            "Log of draws, which are not drawn again [default: FIGURES with the ending .draws.jsonl].",
            type=OutPath(),
        ),
    ],
    exclude: Exclude,
) -> None:
    """Draw some of FIGURES at random, stratified, and never a figure that an earlier draw had."""
    from annotator.corpus.selection.exclusions import Exclusions
    from annotator.corpus.selection.sample import Draw, sample, summary

    log = log or figures.with_suffix(".draws.jsonl")
    if log == out:
        raise click.UsageError("--log and --out name the same file")
    for path in (out, log):
        refuse_input(path, figures, *exclude)
    problems, draw = warned_problems(), Draw(count, tuple(dict.fromkeys(by)), seed)
    drawn = sample(figures, out, log, draw, Exclusions.of(exclude, problems), problems)
    for line in summary(drawn, draw, log):
        click.echo(line)
    exit_on(problems)


@command.command(
    "statistics", epilog="Example: annotator corpus statistics figures.jsonl --format latex --out table.tex"
)
def statistics_(
    source: Path,
    layout: Annotated[
        Literal["markdown", "latex", "json", "html"],
        Option("latex needs booktabs; html has plots (panelwise[plots]).", "--format", default="markdown"),
    ],
    out: OutText,
) -> None:
    """Count papers, figures, references, tokens, subfigures and types, beside the values of the MedICaT paper.

    SOURCE is a file of figures, or a campaign's home with its gold.
    """
    from annotator.corpus.statistics import FORMATS, Statistics, statistics_of

    refuse_input(out, source)
    problems, statistics = warned_problems(), Statistics()
    for so_far in progress(statistics_of(source, problems), "counting", unit="figures"):
        statistics = so_far
    title = f"Statistics of {source.resolve().name}"
    write_output(FORMATS[layout](statistics, title), out)
    exit_on(problems)
