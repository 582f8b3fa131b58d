"""The jobs that the HTTP API starts: a struct for each kind, with the fields of its form."""

from __future__ import annotations

from typing import Annotated

import msgspec

from annotator.campaign.pseudonyms import Names
from annotator.jobs.commands import EXPORTS, MODEL_KINDS, JobKind
from annotator.web.api.v1.endpoint import Text

Device = Annotated[Text, msgspec.Meta(description="auto, cpu or cuda.")]


class _Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    def form(self) -> dict[str, str]:
        """Return the fields of the page's form; those that are not given are left out, as of a form."""
        fields = {}
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, tuple):
                fields[name] = ",".join(value)
            elif isinstance(value, bool):
                fields |= {name: "1"} if value else {}
            elif isinstance(value, str | int):
                fields[name] = str(value)
        return fields


class ImportDraft(_Form, frozen=True):
    """An import. columns: of a table with other headings, such as {"image": "file", "caption": "text"}."""

    revise: Annotated[bool, msgspec.Meta(description="Replace captions and images of figures that are there.")] = (
        False
    )
    annotator: Annotated[Text, msgspec.Meta(description="Annotator of a COCO file's boxes.")] = ""
    columns: dict[Text, Text] = msgspec.field(default_factory=dict)


class _Job(_Form, frozen=True, tag_field="kind"):
    pass


class PrelabelDraft(_Job, frozen=True, tag=JobKind.PRELABEL.value):
    """Pre-labelling of figures. models: names of trained ones; none for the built-in pre-labeller."""

    models: tuple[Text, ...] = ()
    device: Device = "auto"
    again: Annotated[bool, msgspec.Meta(description="Also figures that are pre-labelled.")] = False


class TrainDraft(_Job, frozen=True, tag=JobKind.TRAIN.value):
    """Training of a model on the gold. minutes: at most, null for no limit."""

    model: Annotated[Text, msgspec.Meta(description=f"One of {', '.join(MODEL_KINDS)}.")]
    name: Text
    device: Device = "auto"
    minutes: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    random: Annotated[bool, msgspec.Meta(description="Begin with random weights, without a download.")] = False


class ExportDraft(_Job, frozen=True, tag=JobKind.EXPORT.value):
    """An export to a file of the job."""

    what: Annotated[Text, msgspec.Meta(description=f"One of {', '.join(EXPORTS)}.")]
    single: Annotated[bool, msgspec.Meta(description="Of gold: include unreviewed work.")] = False


class ReleaseDraft(_Job, frozen=True, tag=JobKind.RELEASE.value):
    """A release of the gold as it is now. images: with copies of those that the licence allows."""

    name: Text
    note: Text = ""
    images: bool = False


class ReportDraft(_Job, frozen=True, tag=JobKind.REPORT.value):
    """An agreement report. phase: "" for all phases, one report each; null for the newest that has agreement.

    names: of annotators, "real" or "pseudonyms" (Annotator 1, 2, ...). latex: also tables for a paper, as a ZIP
    archive, with pseudonyms in any case.
    """

    phase: Text | None = None
    names: Names = Names.REAL
    latex: bool = False


class PushDraft(_Job, frozen=True, tag=JobKind.PUSH.value):
    """Tasks to Label Studio."""


class PullDraft(_Job, frozen=True, tag=JobKind.PULL.value):
    """Annotations from Label Studio."""


class CheckDraft(_Job, frozen=True, tag=JobKind.CHECK.value):
    """A check of the releases."""


class BackupDraft(_Job, frozen=True, tag=JobKind.BACKUP.value):
    """A backup to a file of the job."""


JobDraft = (
    PrelabelDraft
    | TrainDraft
    | ExportDraft
    | ReleaseDraft
    | ReportDraft
    | PushDraft
    | PullDraft
    | CheckDraft
    | BackupDraft
)
