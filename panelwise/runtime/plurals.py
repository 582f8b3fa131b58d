"""Numbers with their nouns, as people write them."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """ "3 figures", "1 figure", "0 figures". noun: in the singular; plural: where it is not the noun with an s."""
    return f"{number} {named(number, noun, plural)}"


def named(number: int, noun: str, plural: str = "") -> str:
    """The noun alone, as it stands after the number: "figure" after 1, else "figures"."""
    return noun if number == 1 else plural or f"{noun}s"
