"""The language of searches: what each form means, and that nothing typed breaks it."""

import random

import pytest

from inference.errors import Invalid
from inference.index.query import (
    AllOf,
    AnyOf,
    NotOf,
    Piece,
    PieceSequence,
    narrowed,
    parse,
    sequences,
)
from tests.inference.index.naive import cut


def word(*words: str, how: str = "stem") -> PieceSequence:
    return PieceSequence(tuple(Piece(w, how) for w in words))


WAR = word("war")
PEACE = word("peace")
NAVY = word("navy")


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("war", WAR),
        ("War PEACE", AllOf((WAR, PEACE))),
        ("war or peace", AnyOf((WAR, PEACE))),
        ("war OR peace navy", AnyOf((WAR, AllOf((PEACE, NAVY))))),
        ("(war OR peace) navy", AllOf((AnyOf((WAR, PEACE)), NAVY))),
        ("war AND peace", AllOf((WAR, PEACE))),
        ("war -peace", AllOf((WAR, NotOf(PEACE)))),
        ("war NOT peace", AllOf((WAR, NotOf(PEACE)))),
        ("war AND NOT (peace OR navy)", AllOf((WAR, NotOf(AnyOf((PEACE, NAVY)))))),
        ("NOT -war", WAR),
        ("-(war peace)", NotOf(AllOf((WAR, PEACE)))),
        ('-"war peace"', NotOf(word("war", "peace", how="exact"))),
        ('"war peace"', word("war", "peace", how="exact")),
        ("“war peace”", word("war", "peace", how="exact")),
        ('"war', word("war", how="exact")),
        ('"or" "AND"', AllOf((word("or", how="exact"), word("and", how="exact")))),
        ("mili*", word("mili", how="begin")),
        ('"war mili*"', PieceSequence((Piece("war", "exact"), Piece("mili", "begin")))),
        ("well-known", word("well", "known")),
        ("don’t 1914–18", AllOf((word("don", "t"), word("1914", "18")))),
        ("or", word("or")),
        ("war or", AllOf((WAR, word("or")))),
        ("or war", AllOf((word("or"), WAR))),
        ("war & peace, !", AllOf((WAR, PEACE))),
        ("() war (&)", WAR),
        ("and not", AllOf((word("and"), word("not")))),
    ],
)
def test_what_is_typed_becomes_a_tree(query, tree):
    assert parse(query, cut) == tree


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "no word to search for"),
        ("&|! - * () 😀", "no word to search for in “&|! "),
        ("(war", "has no “\\)” after it"),
        ("war)", "has no “\\(” before it"),
        ("AND war", "There is nothing before AND"),
        ("war AND", "There is nothing after AND"),
        ("war OR", "There is nothing after OR"),
        ("OR war", "There is nothing before OR"),
        ("war OR AND peace", "There is nothing after OR"),
        ("war (OR) peace", "There is nothing before OR"),
        ("NOT", "There is nothing after NOT"),
        ("(NOT)", "There is nothing after NOT"),
        ("(" * 21 + "a" + ")" * 21, "20 deep"),
        ("-(" * 400, "20 deep"),
        ("a " * 101, "at most|may have 100 words"),
        ("a" * 1001, "1,000 characters; this one is longer"),
    ],
)
def test_what_cannot_be_understood_is_said(query, said):
    with pytest.raises(Invalid, match=said) as error:
        parse(query, cut)
    assert error.value.field == "q" and len(error.value.message) < 200


@pytest.mark.parametrize(
    "query", ["war or peace", "war OR peace", "(war OR peace)", 'war or "peace']
)
def test_other_terms_narrow_all_alternatives(query):
    tree = parse(narrowed(query, '"navy"'), cut)
    assert tree.parts[1] == word("navy", how="exact")
    assert tree.parts[0] == parse(query, cut)


def test_what_has_no_alternatives_is_narrowed_as_it_stands():
    assert narrowed("war -peace", '"navy"') == 'war -peace "navy"'
    assert narrowed("", "war", '"navy"') == 'war "navy"'


def test_what_must_not_be_there_is_not_what_is_found():
    assert sequences(parse("war -(peace navy) OR NOT (a -b)", cut)) == [WAR, word("b")]


def test_no_query_breaks_the_parser():
    chance = random.Random(1)
    signs = [
        "(",
        ")",
        '"',
        "“",
        "-",
        "*",
        " ",
        " ",
        "OR",
        "or",
        "AND",
        "NOT",
        "a",
        "war",
        "\0",
        "'",
        "\\",
        "é",
        "戦",
        "😀",
        "%s",
        "\u202e",
    ]
    understood = 0
    for _ in range(20_000):
        query = "".join(chance.choices(signs, k=chance.randrange(25)))
        try:
            assert parse(query, cut) is not None
            understood += 1
        except Invalid as error:
            assert error.field == "q" and error.message
    assert understood > 5_000
