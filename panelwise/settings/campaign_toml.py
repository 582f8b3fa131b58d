"""`campaign.toml`: a campaign's settings, written once by `annotator init` and edited by people."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from pathlib import Path

from panelwise.domain.annotation import MAX_BOXES
from panelwise.domain.campaign import GUIDELINE_FILE, Campaign, Phase, Role
from panelwise.domain.decision import GoldSource
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Fields
from panelwise.settings.campaign_phases import phases_lines, quoted, read_phase
from panelwise.settings.release_table import ReleaseSettings, read_release

FILE_NAME = "campaign.toml"

#: The settings and tables, in the order of the alphabet.
_TABLES = ("assistant", "images", "label_studio", "release", "store", "view")
_KEYS = sorted((*_TABLES, *(each.name for each in dataclass_fields(Campaign))))
_HOST = re.compile(r"(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """Largest image: pixels in total, longer side in pixels, bytes of the file."""

    max_pixels: int = 100_000_000
    max_side: int = 30_000
    max_bytes: int = 200_000_000


#: For images accepted earlier, regardless of the present limits.
UNLIMITED = ImageLimits(max_pixels=1 << 62, max_side=1 << 31, max_bytes=1 << 62)


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """The table [images]: limits, and whether and from where an image may be fetched.

    url_hosts: the only hosts to fetch from, "host", "host:port" or "*.domain"; empty for any public one.
    connect_seconds: per connection. total_seconds: per image with all its redirects.
    """

    limits: ImageLimits = ImageLimits()
    allow_urls: bool = False
    url_hosts: tuple[str, ...] = ()
    connect_seconds: float = 10.0
    total_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """The table [view]: the adjudication view.

    idle_minutes: a session ends after this long without a request. session_hours: its longest duration. feedback:
    whether annotators may see their own work compared to gold. writes_per_minute: limit of saves per person; 0 for
    no limit. host, port: where it listens. public_url: where people open it, "" for there. https: behind an HTTPS
    proxy. proxy: address of the proxy that is trusted to name each client's. studio_port: of the campaign's own
    Label Studio under `annotator up`, None for any free one.
    """

    idle_minutes: int = 720
    session_hours: int = 168
    feedback: bool = False
    writes_per_minute: int = 1200
    host: str = "127.0.0.1"
    port: int = 8090
    public_url: str = ""
    https: bool = False
    proxy: str = ""
    studio_port: int | None = None


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """The file's content. store_url: "" for the file beside it. label_studio_url: "" for the embedded server.

    assistant_prompt: instructions for the language model of `prelabel run --assistant`; "" for the packaged ones.
    """

    campaign: Campaign
    store_url: str = ""
    label_studio_url: str = ""
    images: ImageSettings = ImageSettings()
    view: ViewSettings = ViewSettings()
    release: ReleaseSettings = field(default_factory=ReleaseSettings)
    assistant_prompt: str = ""


def read_campaign(path: Path) -> CampaignFile:
    """Read the file. Raises FormatError with the place and what to do."""
    return parse_campaign(campaign_bytes(path), path)


def campaign_bytes(path: Path) -> bytes:
    """Return the file's bytes, not parsed. Raises FormatError if it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; make a campaign's home with: annotator init DIR") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}") from None


def parse_campaign(content: bytes, path: Path) -> CampaignFile:
    """Parse the content of the file at `path`. Raises FormatError with the place and what to do."""
    try:
        data = tomllib.loads(content.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path}: not valid TOML: {error}") from None
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, or tables in tables in tables.
        raise FormatError(f"{path}: cannot be read ({error}); correct that setting") from None
    fields = Fields(str(path), data, exact=True)
    fields.only(_KEYS)
    try:
        quorum = fields.size("quorum")
        campaign = Campaign(
            name=fields.text("name"),
            phases=tuple(read_phase(entry) for entry in fields.objects("phases")) or (Phase("1"),),
            labels=fields.texts("labels"),
            guideline=fields.optional_text("guideline"),
            quorum=2 if quorum is None else quorum,
            second_reviewer=fields.flag("second_reviewer", default=False),
            reviewers=fields.texts("reviewers"),
            guideline_file=fields.optional_text("guideline_file") or GUIDELINE_FILE,
            include=_included(fields),
            max_boxes=fields.size("max_boxes") or MAX_BOXES,
            language_models=fields.flag("language_models", default=True),
            comments=_commenting(fields),
        )
    except FormatError:
        raise
    except AnnotatorError as error:
        raise FormatError(f"{path}: {error}") from None
    if not campaign.labels:
        raise fields.error("labels", 'is empty; give the labels of subfigures, such as ["A", "B", "C"]')
    return CampaignFile(
        campaign,
        store_url=fields.inside("store").optional_text("url"),
        label_studio_url=fields.inside("label_studio").optional_text("url"),
        images=_images(fields.inside("images")),
        view=_view(fields.inside("view")),
        release=read_release(fields.inside("release")),
        assistant_prompt=fields.inside("assistant").optional_text("prompt"),
    )


def _included(fields: Fields) -> frozenset[GoldSource]:
    """Return the setting `include`: sources of gold besides adjudicated and unanimous figures."""
    for position, name in enumerate(fields.texts("include")):
        if name != GoldSource.SINGLE:
            raise fields.error(f"include[{position}]", f'is "{name}"; give ["single"], or leave include out')
    return frozenset(GoldSource(name) for name in fields.texts("include"))


def _commenting(fields: Fields) -> frozenset[Role]:
    """Return the setting `comments`: the roles that comment on figures; all of them unless it is given."""
    for position, name in enumerate(fields.texts("comments")):
        if name not in set(Role):
            raise fields.error(
                f"comments[{position}]", f'is "{name}"; give {", ".join(Role)}, or [] for no comments'
            )
    return frozenset(map(Role, fields.texts("comments") if "comments" in fields.record else Role))


def _view(entry: Fields) -> ViewSettings:
    """Return the table [view], with defaults for missing keys."""
    usual = ViewSettings()
    entry.only([each.name for each in dataclass_fields(ViewSettings)])
    return ViewSettings(
        idle_minutes=_most(entry, "idle_minutes", 7 * 24 * 60) or usual.idle_minutes,
        session_hours=_most(entry, "session_hours", 90 * 24) or usual.session_hours,
        feedback=entry.flag("feedback", default=usual.feedback),
        writes_per_minute=_writes(entry, usual.writes_per_minute),
        host=entry.optional_text("host") or usual.host,
        port=_most(entry, "port", 65535) or usual.port,
        public_url=_public_url(entry),
        https=entry.flag("https", default=usual.https),
        proxy=entry.optional_text("proxy"),
        studio_port=_most(entry, "studio_port", 65535),
    )


def _public_url(entry: Fields) -> str:
    address = entry.optional_text("public_url").rstrip("/")
    if address and not address.startswith(("http://", "https://")):
        raise entry.error("public_url", f'is "{address}"; give an address such as "https://panelwise.example.org"')
    return address


def _writes(entry: Fields, usual: int) -> int:
    return (
        0
        if entry.optional_number("writes_per_minute") == 0
        else _most(entry, "writes_per_minute", 60_000) or usual
    )


def _most(entry: Fields, key: str, most: int) -> int | None:
    value = entry.size(key)
    if value is not None and value > most:
        raise entry.error(key, f"holds {value}, which is more than {most}; give less")
    return value


def _images(entry: Fields) -> ImageSettings:
    """Return the table [images], with defaults for missing keys."""
    usual = ImageSettings()
    entry.only(
        ("max_pixels", "max_side", "max_bytes", "allow_urls", "url_hosts", "connect_seconds", "total_seconds")
    )
    for position, host in enumerate(entry.texts("url_hosts")):
        if not _HOST.fullmatch(host):
            raise entry.error(
                f"url_hosts[{position}]", f'is "{host}"; give a host such as "cdn.example.org" or "*.example.org"'
            )
        port = host.partition(":")[2]
        if port and not 1 <= int(port) <= 65535:
            raise entry.error(f"url_hosts[{position}]", f'is "{host}"; give a port from 1 to 65535')
    return ImageSettings(
        limits=ImageLimits(
            max_pixels=entry.size("max_pixels") or usual.limits.max_pixels,
            max_side=entry.size("max_side") or usual.limits.max_side,
            max_bytes=entry.size("max_bytes") or usual.limits.max_bytes,
        ),
        allow_urls=entry.flag("allow_urls", default=usual.allow_urls),
        url_hosts=tuple(host.lower() for host in entry.texts("url_hosts")),
        connect_seconds=_seconds(entry, "connect_seconds", usual.connect_seconds),
        total_seconds=_seconds(entry, "total_seconds", usual.total_seconds),
    )


def _seconds(entry: Fields, key: str, usual: float) -> float:
    value = entry.optional_number(key)
    if value is not None and not 0 < value <= 3600:
        raise entry.error(key, f"holds {value:g}, not a number of seconds above 0 and up to 3600")
    return usual if value is None else value


def campaign_text(campaign: Campaign, *, notes: Mapping[str, str] | None = None, title: str = "") -> str:
    """Return a new file for `annotator init`, with comments.

    title: the kind of campaign. notes: comment above a phase, by the phase's name.
    """
    labels = ", ".join(quoted(label) for label in campaign.labels)
    lines = [
        *([f"# {title}."] if title else []),
        "# A campaign of Panelwise: edit freely; `annotator` reads it at every command.",
        f"name = {quoted(campaign.name)}",
        "# The labels that subfigures are named from, in reading order.",
        f"labels = [{labels}]",
        "# How many annotators must have a subfigure for it to be preselected in adjudication.",
        f"quorum = {campaign.quorum}",
        "# true: a figure is adjudicated once a second reviewer decides the same, or a third one breaks the tie.",
        f"second_reviewer = {str(campaign.second_reviewer).lower()}",
        "# Version of the guidelines that annotators work by; kept with each annotation.",
        f"guideline = {quoted(campaign.guideline)}",
        "# Gold is what was adjudicated, or what as many annotators as the quorum (two at least) did alike.",
        '# ["single"] adds work of fewer annotators, which is not reviewed: in a phase where each figure has one',
        "# annotator, gold is otherwise only what reviewers adjudicate.",
        f"include = [{', '.join(quoted(each.value) for each in sorted(campaign.include))}]",
        *_optional_lines(campaign),
        "",
        "# [store]                # default: store.sqlite beside this file",
        '# url = "postgresql://user@host/database"',
        "# [label_studio]         # default: a server of its own, run by `annotator studio`",
        '# url = "https://label-studio.example.org"   # token: environment LABEL_STUDIO_API_KEY',
        "# [images]               # what `annotator import figures` takes; the defaults, but for the hosts",
        *_image_lines(),
        "# [view]                 # `annotator serve` and `up`; the defaults",
        *_view_lines(),
        "# [release]              # `annotator release`: documentation of the dataset",
        '# licence = "CC-BY-4.0"   # of the annotations',
        '# authors = [{name = "Surname", forenames = "Forenames", affiliation = "University"}]',
    ]
    lines += phases_lines(campaign.phases, notes or {})
    return "\n".join(lines) + "\n"


def _optional_lines(campaign: Campaign) -> list[str]:
    """Return the settings of the campaign that differ from their defaults."""
    lines = [
        "# An annotation or prediction with more boxes than this is not imported, and does not count.",
        f"{'# ' if campaign.max_boxes == MAX_BOXES else ''}max_boxes = {campaign.max_boxes}",
    ]
    if campaign.guideline_file != GUIDELINE_FILE:
        lines += [
            "# Where the guidelines are, in this folder.",
            f"guideline_file = {quoted(campaign.guideline_file)}",
        ]
    if not campaign.language_models:
        lines += [
            "# The guidelines forbid language models: `prelabel run --assistant` is refused.",
            "language_models = false",
        ]
    if campaign.reviewers:
        names = ", ".join(quoted(name) for name in campaign.reviewers)
        lines += ["# Who adjudicates, where a phase does not say.", f"reviewers = [{names}]"]
    return lines


def _image_lines() -> list[str]:
    usual = ImageSettings()
    return [
        f"# max_pixels = {usual.limits.max_pixels:_}",
        f"# max_side = {usual.limits.max_side:_}       # pixels, of the longer side",
        f"# max_bytes = {usual.limits.max_bytes:_}",
        f"# allow_urls = {str(usual.allow_urls).lower()}     # fetch images that are named by http(s) addresses",
        '# url_hosts = ["cdn.example.org", "*.example.org"]   # for example; default: any public host',
        f"# connect_seconds = {usual.connect_seconds:g}",
        f"# total_seconds = {usual.total_seconds:g}    # for one image",
    ]


def _view_lines() -> list[str]:
    usual = ViewSettings()
    return [
        f"# idle_minutes = {usual.idle_minutes}   # signed out after so long without doing anything",
        f"# session_hours = {usual.session_hours}  # signed out after so long in any case",
        f"# feedback = {str(usual.feedback).lower()}     # true: annotators see their own work beside the gold",
        f"# writes_per_minute = {usual.writes_per_minute}  # what one person may save in a minute; 0: no limit",
        f'# host = "{usual.host}"   # "0.0.0.0": for other machines too, best behind an HTTPS proxy',
        f"# port = {usual.port}",
    ]
