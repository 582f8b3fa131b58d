"""The error tree. A message says where, what, and what to do; commands print it and exit 1."""

from panelwise.domain.addresses import without_secrets


class AnnotatorError(Exception):
    """An error that the user can fix; the text is one line, ready to print, without secrets in addresses."""

    def __str__(self) -> str:
        return without_secrets(super().__str__())


class InvalidAnnotation(AnnotatorError, ValueError):
    """A value that breaks a rule of the domain: an inverted box, a token beyond the caption."""


class FormatError(AnnotatorError):
    """A file or record that does not follow its format."""


class StoreError(AnnotatorError):
    """The campaign's store cannot be read or refuses a write."""


class StoreBusy(StoreError):
    """Others are writing to the store; the same write may succeed in a moment."""


class Conflict(StoreError):
    """A write based on a version that has been replaced meanwhile."""


class SyncError(AnnotatorError):
    """The annotation server cannot be reached, refuses a request, or returns something unexpected."""


#: Longest message: a bad record may contain a number of a million digits.
LONGEST = 600


def one_line(problem: object) -> str:
    """Return a text or an exception's message in one line of at most LONGEST characters, cut in the middle; never
    empty.

    Invisible characters and terminal controls are escaped as Python does; logins and signatures in addresses are
    left out.
    """
    line = without_secrets(" ".join(str(problem).split())) or type(problem).__name__
    if not line.isprintable():
        line = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)
    if len(line) <= LONGEST:
        return line
    end = LONGEST // 3
    return f"{line[: LONGEST - end - 5]} ... {line[-end:]}"
