"""Detect passwords that are easy to guess: common ones and their usual variations.

Rules replace a list: a common word or keyboard row, also with digits for letters and with common prefixes and
suffixes, once or twice; a few characters repeated; letters or digits in sequence; and the name of the person,
campaign or program in the same variations. This covers more than a list of common passwords and needs no updates.
Stolen passwords are not detected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Parts of the most common passwords: words, names and keyboard rows.
_LINES = (
    "password passwort passwd passphrase pass secret geheim login logon welcome willkommen bienvenue hello",
    "hallo admin administrator root user guest test tester testing demo sample default changeme change",
    "letmein trustno access master super superman batman spiderman ironman pokemon naruto starwars dragon",
    "monkey tiger lion eagle falcon phoenix wolf bear panther jaguar cobra shadow hunter ranger killer ninja",
    "samurai soldier warrior maverick rocket thunder storm lightning matrix cookie cheese chocolate banana",
    "orange apple cherry lemon coffee pepper ginger butter summer winter spring autumn sommer herbst",
    "fruehling january february march april june july august september october november december monday",
    "tuesday wednesday thursday friday saturday sunday sunshine moonlight rainbow flower butterfly princess",
    "prince queen angel angels baby babygirl babyboy beautiful lovely love lover loveme iloveyou iloveu teamo",
    "forever friends friend family mother father sister brother jesus christ god heaven blessed faith hope",
    "trust peace freedom liberty america england london paris berlin liverpool arsenal chelsea barcelona",
    "realmadrid juventus football baseball basketball soccer hockey tennis golf yankees cowboys lakers",
    "steelers eagles ferrari porsche mercedes mustang corvette camaro harley yamaha honda toyota nissan",
    "michael jordan daniel thomas robert william charlie george andrew joshua matthew anthony jessica",
    "jennifer michelle nicole amanda ashley hannah samantha elizabeth victoria alexander maggie buster bailey",
    "harley jackson austin dallas chicago newyork computer internet google facebook microsoft windows apple",
    "samsung linux server network security system database oracle mysql postgres money dollar million diamond",
    "silver golden gold platinum whatever nothing something anything everything fuckyou asshole bitch sexy",
    "hottie metallica nirvana slipknot eminem beatles science university student teacher professor doctor",
    "figure figures annotation annotator annotate reviewer review lead leader panel panels panelwise",
    "labelstudio label labels studio gold campaign adjudication research lab laboratory qwerty qwertz azerty",
    "qwertyuiop qwertzuiop azertyuiop asdf asdfgh asdfghjkl zxcv zxcvbn zxcvbnm yxcvbnm qazwsx qazwsxedc",
    "wsxedc edcrfv zaqwsx zaqxsw qweasd qweasdzxc qwer qwert asdfasdf abcd abc abcdef abcabc aaa iop",
)
_WORDS = frozenset(word for line in _LINES for word in line.split())
#: Digits and signs used for letters.
_LEET = str.maketrans("0134578@$!|+", "oieastbasiit")
#: Sequences that a password must not be a part of, forwards or backwards.
_ROWS = (
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "1q2w3e4r5t6z7u8i9o0p",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "q1w2e3r4t5y6u7i8o9p0",
)
#: This number of different characters is too small.
_FEW = 3
_EDGES = re.compile(r"^[^a-z]+|[^a-z]+$")


def why_weak(password: str, names: Iterable[str] = ()) -> str:
    """Return why a password is easy to guess; "" if it is not. names: of the person, campaign and so on."""
    plain = password.casefold()
    if len(set(plain)) <= _FEW:
        return "only a few different characters"
    if _repeats(plain) or any(_within(plain, row) for row in _ROWS):
        return "a sequence or repetition"
    words = _WORDS | {part for name in names for part in _parts(name)}
    bare = _EDGES.sub("", plain)
    for core in (bare, bare.translate(_LEET), _EDGES.sub("", plain.translate(_LEET))):
        if len(password) - len(core) <= max(6, len(core)) and _made_of(re.sub(r"[\W_]+", "", core), words):
            return "a common word or a name of this campaign, with common variations"
    return ""


def _repeats(text: str) -> bool:
    """Return whether a piece of up to four characters is repeated throughout."""
    return any((text[:size] * len(text))[: len(text)] == text for size in range(1, 5) if len(text) >= 2 * size)


def _within(text: str, row: str) -> bool:
    return text in row or text in row[::-1]


def _parts(name: str) -> set[str]:
    """Return a name and its words that are long enough to compare."""
    plain = name.casefold()
    parts = {re.sub(r"[\W_\d]+", "", plain), *re.split(r"[\W_\d]+", plain)}
    return {part for part in parts if len(part) >= 3}


def _made_of(core: str, words: frozenset[str] | set[str]) -> bool:
    """Return whether the text is one of the words, or two of them."""
    if core in words:
        return True
    return any(core[:at] in words and core[at:] in words for at in range(3, len(core) - 2))
