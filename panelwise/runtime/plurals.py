"""Numbers with their nouns."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return "3 figures", "1 figure", "0 figures". noun: singular; plural: if it is not the noun with an s."""
    return f"{number} {named(number, noun, plural)}"


def named(number: int, noun: str, plural: str = "") -> str:
    """Return the noun alone in the form for the number: "figure" for 1, else "figures"."""
    return noun if number == 1 else plural or f"{noun}s"
