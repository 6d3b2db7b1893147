"""What shares are to depend on, as a reader writes it: `party + spline(date)`.

    formula = term ["*" name] {"+" term}        term = name | "spline(" name ")"

The first term is what is looked at; with "*" its effect may differ by the values of a category; the
others are held constant. A name is a field's, in quotes where it is more than letters, digits and _
. -, a quote in it twice; `date` is the documents' date, in a straight line, and `decade`, `year`
and `month` are its periods, each by itself, whatever fields are called.
"""

from dataclasses import dataclass

import regex

from inference.errors import Invalid

MOST_TERMS = 8
LONGEST_FORMULA = 2_000  # letters of a formula
_TOKEN = regex.compile(r'\s*(?:(spline\()|"((?:[^"]|"")+)"|([\p{L}\p{M}\p{N}_.-]+)|([+*)])|(\S))')
_BARE = regex.compile(r"[\p{L}\p{M}\p{N}_.-]+")


@dataclass(frozen=True)
class Term:
    """curve: of numbers and dates, a spline, not a straight line."""

    name: str
    curve: bool = False

    def __str__(self) -> str:
        name = self.name if _BARE.fullmatch(self.name) else '"' + self.name.replace('"', '""') + '"'
        return f"spline({name})" if self.curve else name


@dataclass(frozen=True)
class Formula:
    """across: a category by whose values the effect may differ, or ""."""

    effect: Term
    across: str
    held: tuple[Term, ...]

    def __str__(self) -> str:
        first = f"{self.effect} * {Term(self.across)}" if self.across else str(self.effect)
        return " + ".join([first, *map(str, self.held)])

    @property
    def names(self) -> list[str]:
        """The fields it names, the effect first."""
        field_names = [self.effect.name, self.across]
        field_names += [term.name for term in self.held]
        return [name for name in field_names if name]


def read(text: str) -> Formula:
    """Raises Invalid, with the place of what can't be read."""
    if len(text) > LONGEST_FORMULA:
        raise Invalid(
            "formula",
            f"A formula has at most {LONGEST_FORMULA:,} letters, this one has {len(text):,}.",
        )
    tokens = [
        (m.lastindex or 0, m[m.lastindex or 0], m.start(m.lastindex or 0))
        for m in _TOKEN.finditer(text)
    ]
    terms = list[Term]()
    across = ""
    at = 0

    def take(*kinds: int, only: str = "") -> str:
        nonlocal at
        kind, token_text, token_place = (
            tokens[at] if at < len(tokens) else (0, "nothing", len(text))
        )
        if kind not in kinds or (only and token_text not in only):
            expected = " or ".join(f"“{term}”" for term in only) or "the name of a field"
            raise Invalid(
                "formula",
                f"At letter {token_place + 1} of the formula {expected} was expected, got “{token_text[:40]}”."
                f" {EXAMPLE}",
            )
        at += 1
        return token_text.replace('""', '"') if kind == 2 else token_text

    def one() -> Term:
        if at < len(tokens) and tokens[at][0] == 1:
            take(1)
            name = take(2, 3)
            take(4, only=")")
            return Term(name, curve=True)
        return Term(take(2, 3))

    terms.append(one())
    while at < len(tokens):
        if take(4, only="+" if across or len(terms) > 1 else "+*") == "*":
            across = take(2, 3)
        else:
            terms.append(one())
    return checked(Formula(terms[0], across, tuple(terms[1:])))


def term(text: str) -> Term:
    """One alone. Raises Invalid for more."""
    formula = read(text)
    if formula.across or formula.held:
        raise Invalid("formula", f"One field was expected, got “{text[:80]}”.")
    return formula.effect


def checked(formula: Formula) -> Formula:
    """Raises Invalid where a name comes twice, or for too many."""
    if (n := 1 + len(formula.held)) > MOST_TERMS:
        raise Invalid(
            "formula", f"A formula may have {MOST_TERMS} terms, this one has {n}. Take some out."
        )
    if twice := next((name for name in formula.names if formula.names.count(name) > 1), None):
        raise Invalid("formula", f"“{twice[:80]}” comes twice in the formula. Take one out.")
    return formula


EXAMPLE = "A formula is such as: party + spline(date)."
