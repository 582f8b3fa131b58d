"""`prelabel captions`: split captions into subcaptions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from annotator.cli.commandline import finish, progress, warned_problems
from annotator.cli.parameters import SignatureCommand
from annotator.cli.paths import refuse_input
from annotator.cli.prelabel.options import count_lines
from annotator.cli.shared_options import OutFile
from panelwise.domain import FormatError
from panelwise.runtime import counted


@click.command(
    "captions", epilog="Example: prelabel captions captions.jsonl --out subcaptions.jsonl", cls=SignatureCommand
)
def command(file: Path, out: OutFile) -> None:
    """Split captions into subcaptions by panel label, without images.

    FILE has lines with `caption` and `caption_id` (or `figure_id`), the output `caption_id`, `labels` and
    `subcaptions`: label -> spans [start, end).
    """
    from annotator.campaign.protected_files import refuse_protected
    from panelwise.files import Fields, read_lines, write_lines
    from panelwise.formats import read_caption
    from panelwise.runtime import record_fault
    from prelabel.captions import parse_caption

    refuse_input(out, file)
    refuse_protected(out)
    problems = warned_problems()

    def records() -> Iterator[dict[str, Any]]:
        for line in progress(
            read_lines(file, problems), "reading captions", total=count_lines(file), unit="captions"
        ):
            fields = Fields(line.where, line.record)
            try:
                key = "caption_id" if "caption_id" in line.record else "figure_id"
                if key not in line.record:
                    raise fields.error("caption_id", "is missing; give a text")
                name, caption = fields.text(key), read_caption(fields)
                parsed = parse_caption(caption)
            except FormatError as error:
                problems.add(error)
                continue
            except Exception as error:
                problems.add(f"{line.where}: the caption is not read ({record_fault(error)}); report it")
                continue
            spans = {label: caption.spans_of(tokens) for label, tokens in parsed.tokens.items()}
            yield {
                "caption_id": name,
                "labels": list(parsed.labels),
                "subcaptions": {
                    label: [[span.start, span.end] for span in found] for label, found in spans.items()
                },
            }

    count = write_lines(out, records())
    finish(f"read {counted(count, 'caption')}", problems)
