"""The tables of campaign.toml beside the campaign itself, but for [release]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.figure import LARGEST
from panelwise.domain.setting import Setting

_ADDRESS = 'an address such as "https://panelwise.example.org"'
_HOST = r"(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(:[0-9]{1,5})?"


def _without_slash(address: str) -> str:
    return address.rstrip("/")


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """Largest image: pixels in total, longer side in pixels, bytes of the file."""

    max_pixels: Annotated[int, Setting("largest image, in pixels", least=1, most=LARGEST)] = 100_000_000
    max_side: Annotated[int, Setting("longest side, in pixels", least=1, most=LARGEST)] = 30_000
    max_bytes: Annotated[int, Setting("largest file, in bytes", least=1, most=LARGEST)] = 200_000_000


#: For images accepted earlier, regardless of the present limits.
UNLIMITED = ImageLimits(max_pixels=1 << 62, max_side=1 << 31, max_bytes=1 << 62)


@dataclass(frozen=True, slots=True)
class ImageSettings(ImageLimits):
    """The table [images]: limits, and whether and from where an image may be fetched."""

    allow_urls: Annotated[bool, Setting("`true`: fetch images that are named by http(s) addresses")] = False
    url_hosts: Annotated[
        tuple[str, ...],
        Setting(
            "the only hosts to fetch from: `host`, `host:port` or `*.domain`",
            default="any public host",
            pattern=_HOST,
            give='a host such as "cdn.example.org" or "*.example.org"',
            example='["cdn.example.org", "*.example.org"]',
            clean=str.lower,
        ),
    ] = ()
    connect_seconds: Annotated[float, Setting("time limit of a connection", above=0, most=3600)] = 10.0
    total_seconds: Annotated[float, Setting("time limit of an image with its redirects", above=0, most=3600)] = (
        60.0
    )

    def __post_init__(self) -> None:
        for position, host in enumerate(self.url_hosts):
            port = host.partition(":")[2]
            if port and not 1 <= int(port) <= 65535:
                raise InvalidAnnotation(f'url_hosts[{position}] is "{host}"; give a port from 1 to 65535')

    @property
    def limits(self) -> ImageLimits:
        """Return the limits alone."""
        return ImageLimits(self.max_pixels, self.max_side, self.max_bytes)


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """The table [view], of `annotator serve` and `up`, whose options take precedence."""

    idle_minutes: Annotated[
        int, Setting("a [session](../how-to/accounts.md#sessions) ends after so long unused", least=1, most=10_080)
    ] = 720
    session_hours: Annotated[int, Setting("a session's longest duration", least=1, most=2_160)] = 168
    feedback: Annotated[
        bool,
        Setting(
            "`true`: annotators see [their work compared to "
            "gold](../how-to/watch-a-campaign.md#feedback-to-annotators)"
        ),
    ] = False
    writes_per_minute: Annotated[
        int, Setting("what one person may save in a minute; 0: no limit", least=0, most=60_000)
    ] = 1200
    host: Annotated[
        str, Setting('address to listen on; `"0.0.0.0"`: for other machines too, best behind an HTTPS proxy')
    ] = "127.0.0.1"
    port: Annotated[int, Setting("port to listen on", least=1, most=65_535)] = 8090
    public_url: Annotated[
        str,
        Setting(
            "address under which people open the screens",
            default="the host and port",
            pattern="https?://.*",
            give=_ADDRESS,
            clean=_without_slash,
        ),
    ] = ""
    https: Annotated[bool, Setting("`true`: people reach it through an HTTPS proxy")] = False
    proxy: Annotated[str, Setting("address of the proxy that is trusted to name each client's")] = ""
    studio_port: Annotated[
        int | None,
        Setting(
            "port of the campaign's own Label Studio under `annotator up`",
            default="that of the last start",
            least=1,
            most=65_535,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The table [store]."""

    url: Annotated[
        str,
        Setting(
            "address of a PostgreSQL database",
            default="`store.sqlite` beside the file",
            example='"postgresql://user@host/database"',
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class StudioSettings:
    """The table [label_studio]."""

    url: Annotated[
        str,
        Setting(
            "[a server of yours](../how-to/keep-label-studio-in-step.md#a-label-studio-that-you-have), with its "
            "token in the environment variable `LABEL_STUDIO_API_KEY`",
            default="the home's own",
            example='"https://label-studio.example.org"',
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class AssistantSettings:
    """The table [assistant]."""

    prompt: Annotated[
        str,
        Setting(
            "instructions for the language model that reads captions (`--assistant`)",
            default="the packaged instructions",
        ),
    ] = ""
