"""Shared parts of the configs on whole figures: the image beside its caption, and the column of questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import quoteattr

from label_config import names
from label_config.hotkeys import ChoiceKeys
from label_config.instructions import STYLE

_HEADINGS = ":is(h1, h2, h3, h4, h5, h6)"

# The panels of regions are empty here, and take a quarter of the window. The editor spoils rules with ">".
_STYLE = f"""
.pw-row {{ display: flex; gap: 16px; align-items: flex-start; }}
.pw-figure {{ flex: 10 1 0; min-width: 0; position: sticky; top: 0; max-height: 88vh; overflow-y: auto; }}
.pw-asked {{ flex: 11 1 0; min-width: 360px; }}
.pw-plain {_HEADINGS}, .pw-hint {_HEADINGS}, .pw-name {_HEADINGS} {{ margin: 0 !important;
  font-weight: 400 !important; font-size: 14px !important; line-height: 20px !important; letter-spacing: 0;
  white-space: pre-line; overflow-wrap: anywhere; }}
.pw-hint {_HEADINGS} {{ font-size: 13px !important; line-height: 18px !important; opacity: .85; }}
.pw-hint {{ margin: 2px 0 6px; }}
.pw-name {_HEADINGS} {{ font-size: 13px !important; line-height: 18px !important; font-weight: 600 !important; }}
.pw-name {{ margin: 8px 0 2px; }}
.pw-yellow, .pw-blue {{ padding: 5px 9px; margin: 4px 0; border-radius: 4px; }}
.pw-yellow {_HEADINGS}, .pw-blue {_HEADINGS} {{ color: #1b1b1b !important; }}
.pw-yellow {{ background: #fff1a8; }}
.pw-blue {{ background: #cfe5fb; }}
.pw-block {{ border: 1px solid rgba(128, 128, 128, .4); border-radius: 6px; padding: 2px 12px 8px;
  margin: 0 0 12px; }}
.pw-empty:has({_HEADINGS}:empty) {{ display: none; }}
.pw-block:has(.pw-question {_HEADINGS}:empty) {{ display: none; }}
.pw-asked [data-testid="textarea-regions"], .pw-asked .ant-form-item {{ margin-bottom: 2px !important; }}
.pw-asked .lsf-choices {{ margin: 4px 0 !important; }}
.pw-asked .ant-checkbox-wrapper {{ line-height: 28px !important; }}
.pw-asked button[data-value] [data-testid="choiceOptionText"] {{ color: var(--color-neutral-content, inherit); }}
.pw-quiet .lsf-hint {{ display: none; }}
.lsf-sidepanels__wrapper {{ display: none; }}
.lsf-sidepanels {{ padding: 0 !important; }}
"""


def framed(controls: Iterable[str], *, references: bool, style: str = "") -> str:
    """Return the whole config: figure and caption on the left, always in sight, and `controls` on the right.

    references: show the article's mentions of the figure, collapsed. style: additional CSS rules.
    """
    article = (
        '<Collapse bordered="true"><Panel value="In the article">',
        f'<HyperText name="{names.REFERENCES}" value="${names.DATA_REFERENCES}" selectionEnabled="false"/>',
        "</Panel></Collapse>",
    )
    return "\n".join(
        (
            "<View>",
            f"<Style>{_STYLE}{STYLE}{style}</Style>",
            '<View className="pw-row">',
            '<View className="pw-figure">',
            f'<Header value="${names.DATA_TITLE}" size="5"/>',
            f'<Image name="{names.FIGURE}" value="${names.DATA_IMAGE}" zoom="true" zoomControl="true" '
            'rotateControl="false" defaultZoom="fit" maxHeight="60vh"/>',
            f'<Text name="{names.CAPTION}" value="${names.DATA_CAPTION}" selectionEnabled="false"/>',
            *(article if references else ()),
            "</View>",
            '<View className="pw-asked">',
            *controls,
            "</View>",
            "</View>",
            "</View>",
        )
    )


def header(value: str, class_name: str) -> str:
    """Return a line of text; a value that begins with "$" is read from the task's data."""
    return f'<View className="{class_name}"><Header value={quoteattr(value)} size="5"/></View>'


def choices(name: str, values: Sequence[str], keys: Sequence[str], more: str = "") -> str:
    """Return a group of choices, each with its key. Single choice unless `more` (further attributes) says
    otherwise.
    """
    listed = "".join(
        f"<Choice value={quoteattr(value)} hotkey={quoteattr(key)}/>"
        for value, key in zip(values, keys, strict=True)
    )
    kind = more if "choice=" in more else f'choice="single-radio" {more}'
    return f'<Choices name="{name}" toName="{names.FIGURE}" {kind.strip()}>{listed}</Choices>'


def required(message: str) -> str:
    """Return the attributes of a control that must be filled in before submitting."""
    return f'required="true" requiredMessage={quoteattr(message)}'


def text_field(name: str, placeholder: str, *, rows: int = 1, many: bool = False, opened: bool = False) -> str:
    """Return a text field, for one text unless `many`. Text in the field counts at Submit, even if not confirmed.

    opened: text already in the field can be edited without clicking its pencil. The editor gives such a field the
    focus when it appears, so use this only for fields that are hidden at first.
    """
    most = "" if many else ' maxSubmissions="1"'
    at_once = ' transcription="true"' if opened else ""
    return (
        f'<TextArea name="{name}" toName="{names.FIGURE}" placeholder={quoteattr(placeholder)} rows="{rows}" '
        f'editable="true"{at_once} showSubmitButton="false"{most}/>'
    )


def shown_when(control: str, values: Sequence[str], content: Iterable[str], *, chosen: bool = True) -> str:
    """Show `content` while one of `values` of another control is chosen (chosen=False: while none is)."""
    how = "choice-selected" if chosen else "choice-unselected"
    wanted = quoteattr(",".join(values))
    return "\n".join(
        (f'<View visibleWhen="{how}" whenTagName="{control}" whenChoiceValue={wanted}>', *content, "</View>")
    )


def figure_kind(
    types: Sequence[str], keys: ChoiceKeys, *, fine: bool, pressed: bool, closed: bool
) -> tuple[str, ...]:
    """Return the controls for compound or not, number of subfigures, and types.

    fine: also ask for finer types. pressed: the annotator uses the choices' keys. closed: take no other types.
    """
    take = keys.main if pressed else keys.spare
    compound, count = (names.COMPOUND_YES, names.COMPOUND_NO), keys.spare(1)[0]
    more = "Finer types, and others, one at a time: Enter adds it" if fine else "Another type: Enter adds it"
    return (
        header("Compound: several separable subfigures", "pw-name"),
        choices(names.COMPOUND, compound, take(2), 'showInline="true" ' + required("Say whether it is compound.")),
        header("Number of subfigures", "pw-name"),
        f'<Number name="{names.COUNT}" toName="{names.FIGURE}" min="1" max="99" step="1" hotkey="{count}" '
        f"{required('Give the number of subfigures.')}/>",
        header("Types: all that the figure has", "pw-name"),
        choices(names.TYPES, types, take(len(types)), 'choice="multiple" showInline="true"'),
        *(() if closed else (text_field(names.OTHER_TYPES, more, many=True),)),
    )


def closing(keys: ChoiceKeys, *, notes: bool) -> tuple[str, ...]:
    """Return the controls that say whether the figure is fit for the campaign. notes: add notes on its types."""
    field = (header("Notes on the figure", "pw-name"), text_field(names.NOTES, "Notes", rows=2))
    return (
        *(field if notes else ()),
        '<View className="pw-quiet">',
        choices(names.STATUS, (names.STATUS_ACCEPT, names.STATUS_REJECT), keys.spare(2), 'showInline="true"'),
        "</View>",
        header("After a change of what was submitted, press Update.", "pw-hint"),
    )
