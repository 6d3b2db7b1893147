"""Nouns told without a tagger, by function words alone; and how phrases are counted."""

import numpy as np
import pytest

from inference.explore import name_candidates, pieces
from inference.explore.grammar import Grammar
from inference.text import VocabularyChoice, stop_words
from inference.text.clitics import dividing_clitics

FARM = """The farmer sees the wheat. A farmer with a plough is on the field, and the field of the
farmer is green. We plough the field. We are on the field. They will harvest the wheat of the field, as we will. The green field
and the old plough. Thank the farmer; to thank the field is to thank the wheat, and we have to thank the farmer. An old farmer in the
village, a new village by the field, with the wheat.
"""


def test_nouns_verbs_and_modifiers():
    grammar = Grammar([FARM] * 12, stop_words("en"))
    assert {"the", "a"} <= grammar.determiners
    assert {"of", "with"} <= grammar.prepositions and not grammar.nouns_have_capitals
    kinds = {word: grammar.kind(word) for word in ("farmer", "wheat", "village", "old")}
    assert kinds == {
        "farmer": "noun",
        "wheat": "noun",
        "village": "noun",
        "old": "modifier",
    }
    assert grammar.kind("thank") != "noun"
    assert grammar.kind("tractor") == ""  # never seen


LOG = """* Fix memory leak in the parser.
* Fix buffer overflow of the parser.
* Fix crash.
* Close the file. Close a buffer of the parser. Close the parser.
* Update translation of the manual, with the memory leak and a buffer overflow in the parser.
The stable release of the parser. A stable release with the real-world parser, and the real-world.
"""
CLOCK = """The farmer’s o’clock is old, and an o'clock of the field. We see the oʼclock. Thank O’Brien, and
thank O’Brien. The farm of O’Brien and the nation’s farm; the nation of the farm. He can’t see.
"""


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u02bc"])
def test_words_with_apostrophes_are_judged_as_the_vocabulary_has_them(apostrophe):
    english = dividing_clitics(VocabularyChoice(apostrophes="clitics", language="en"))
    grammar = Grammar([CLOCK] * 12, stop_words("en"), english)
    assert grammar.kind(f"o{apostrophe}clock") == "noun"
    assert grammar.kind("clock") == "" and grammar.kind("O") == ""
    assert grammar.uses["nation"].all == 24 and "nation's" not in grammar.uses
    assert grammar.kind("nation") == "noun"
    assert grammar.small_share(f"O{apostrophe}Brien") == 0


def test_where_apostrophes_divide_all_words_pieces_are_judged():
    grammar = Grammar([CLOCK.replace("oʼclock", "clock")] * 12, stop_words("en"))
    assert grammar.kind("clock") != "" and grammar.kind("o'clock") == ""


def test_where_apostrophes_join_all_words_none_is_divided():
    joining = dividing_clitics(VocabularyChoice(apostrophes="join"))
    grammar = Grammar([CLOCK] * 12, stop_words("en"), joining)
    assert grammar.uses["nation's"].all == 12 and grammar.uses["o'clock"].all == 36


def test_names_of_persons_stand_behind_no_article():
    text = "Samuel Stone has sent a letter to the Supreme Court. The Supreme Court has read it."
    grammar = Grammar([text] * 12, stop_words("en"))
    assert grammar.names_person("Samuel Stone") and grammar.names_person("Anna Unseen")
    assert not grammar.names_person("Supreme Court") and not grammar.names_person("samuel stone")


SPEECH = """Dear friends, the harvest is in. The harvest of the dear friends of the farm, you see, dear
friends! The old mill, the new mill and the wheat field feed us. A wheat field is green.

Dear friends, we thank you. The `git commit` is new, and "git commit" is old, as (git commit) is.
"""


def test_what_addresses_somebody_stands_between_marks():
    grammar = Grammar([SPEECH] * 4, stop_words("en"))
    assert grammar.is_address("dear friends") and grammar.is_address("Dear Friends")
    assert not grammar.is_address("wheat field") and not grammar.is_address("old mill")
    assert not grammar.is_address("git commit"), "quotation marks and brackets set nothing off"
    assert not grammar.is_address("barley field"), "never seen"


def test_nouns_of_german_have_capitals():
    text = (
        "Der Bauer sieht den Weizen auf dem Feld. Wir sehen die grünen Felder und die Dörfer bei"
        " dem Feld. Mit dem Bauer und mit den Felder, in den Dörfer, von dem Weizen. Grüne Felder."
    )
    grammar = Grammar([text] * 10, stop_words("de"))
    assert grammar.nouns_have_capitals
    assert grammar.kind("feld") == "noun" and grammar.kind("grünen") == "modifier"
    assert grammar.ungoverned("grünen Felder") == "grüne Felder"
    assert grammar.ungoverned("alten Felder") == ""


NETWORK = """The TCP header of the packet. A TCP segment and the TCP port of a host. The Soviet
ship and a Soviet harbour. Grant asked the host. We heard Grant speak; they will grant the land, and
grant it again. The land and the harbour.
"""


def test_an_acronym_stands_alone_though_nouns_follow_it():
    grammar = Grammar([NETWORK] * 12, stop_words("en"))
    assert grammar.kind("tcp") == grammar.kind("soviet") == "modifier"
    assert grammar.is_noun("tcp", "TCP") and not grammar.is_noun("soviet", "Soviet")
    assert grammar.is_noun("ipv6", "IPv6")  # of a word that was not seen nothing is known


def test_how_often_a_word_is_written_small():
    grammar = Grammar([NETWORK] * 12, stop_words("en"))
    assert grammar.small_share("tcp") == 0.0 and grammar.small_share("harbour") == 1.0
    assert 0 < grammar.small_share("Grant") < 1
    assert grammar.small_share("unseen") is None
    assert Grammar(["人民银行提高利率。"] * 9, stop_words("zh")).small_share("人") is None
    in_small_letters = Grammar([NETWORK.lower()] * 12, stop_words("en"))
    assert in_small_letters.uses["grant"].inside and in_small_letters.small_share("grant") is None


@pytest.mark.parametrize("texts", [[], [""], ["人民银行提高利率。人民银行说话。"] * 9])
def test_what_teaches_nothing(texts):
    grammar = Grammar(texts, stop_words("zh"))
    assert grammar.determiners == set() and grammar.kind("bank") == ""


def uses_slowly(documents, phrase, lengths, topic):
    """As name_candidates.phrase_uses, of documents as lists of (word, place, topic)."""
    uses = []
    own = []
    for tokens in documents:
        n = 0
        for word, place, _ in tokens:
            ends = place + lengths[0]
            complete = word == phrase[0]
            for following, length in zip(phrase[1:], lengths[1:], strict=True):
                later = [p for w, p, _ in tokens if w == following and p >= ends]
                complete = (
                    complete and bool(later) and min(later) <= ends + name_candidates.GAP_CHARACTERS
                )
                ends = min(later) + length if complete else 0
            n += complete
        uses.append(n)
        own.append(all(any(w == word and k == topic for w, _, k in tokens) for word in phrase))
    return uses, own


def test_phrases_are_counted_as_by_a_slow_twin():
    chance = np.random.default_rng(4)
    lengths = chance.integers(1, 5, 6)
    documents = []
    for _ in range(60):
        words = chance.integers(0, 6, chance.integers(0, 30))
        places = np.cumsum(chance.integers(5, 16, len(words)))
        topic_of = chance.integers(0, 2, 6)  # in a document a word has one topic
        documents.append(
            [(int(w), int(p), int(topic_of[w])) for w, p in zip(words, places, strict=True)]
        )
    indptr = [0]
    words = []
    counts = []
    topics = []
    offsets = []
    for tokens in documents:
        for word in sorted({w for w, _, _ in tokens}):
            own = [(p, k) for w, p, k in tokens if w == word]
            words.append(word)
            counts.append(len(own))
            topics.append(own[0][1])
            offsets += [p for p, _ in own]
        indptr.append(len(words))
    first = np.concatenate([[0], np.cumsum([len(tokens) for tokens in documents])])
    total = 0
    for phrase in ((0, 1), (2, 3), (0, 1, 2), (4, 4, 5)):
        uses, own = name_candidates.phrase_uses(
            np.arange(len(documents)),
            np.array(indptr),
            np.array(words, np.int32),
            np.array(counts, np.int32),
            first,
            np.array(offsets, np.int32),
            np.array(topics, np.uint16),
            1,
            np.array(phrase),
            lengths[list(phrase)],
        )
        slow = uses_slowly(documents, phrase, lengths[list(phrase)], 1)
        assert (uses.tolist(), own.tolist()) == slow
        total += uses.sum()
    assert total > 30


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("network", "networks", True),
        ("Tier", "Tiere", True),
        ("tax", "taxes", True),
        ("war", "law", False),
    ],
)
def test_forms_of_a_word(a, b, same):
    assert name_candidates.are_one_word(a, b) is same


def test_identifiers_are_no_nouns_though_sentences_have_one():
    text = FARM + "PyObject_Call(PyObject *self); PyObject *other; PyObject_New; PyObject_Del. "
    text += "The JSON of the farm, a JSON with the field; json.load, json.dump. "
    text += "See https://farm.org/a https://farm.org/b https://farm.org/c. FIDO; FIDO. FIDO; FIDO."
    grammar = Grammar([text] * 6, stop_words("en"))
    assert grammar.is_identifier("pyobject", "PyObject")
    assert grammar.is_identifier("fido", "FIDO"), "an acronym that no sentence has"
    assert not grammar.is_identifier("json", "JSON"), "sentences have it, too"
    assert not grammar.is_identifier("farm", "farm"), "addresses are no code"


def test_commands_are_known_by_what_stands_before_them():
    grammar = Grammar([LOG] * 12, stop_words("en"))
    assert grammar.begins_command("fix") and not grammar.begins_command("memory")


def test_a_single_character_names_nothing_but_may_be_listed():
    assert name_candidates.may_name("公司") and not name_candidates.may_name("公")
    assert name_candidates.tells("公")
    assert name_candidates.may_name("C"), "as in “Hepatitis C”"


def test_without_function_words_nobody_is_a_surname():
    grammar = Grammar(["He lived at Caerdydd then. We saw Caerdydd once."] * 12, frozenset())
    assert not grammar.is_surname("caerdydd", "Caerdydd")
    assert not grammar.names_person("Caerdydd Abertawe")


def test_one_long_document_is_not_the_topic():
    document = np.repeat(np.arange(41), [90] + [1] * 40)
    weight = pieces.weigh_pieces(np.full(130, 10), document)
    assert weight.sum() == pytest.approx(1)
    assert weight[:90].sum() < 0.2, "it has 69% of the tokens"


def test_a_long_report_does_not_decide_what_a_piece_about_the_topic_is():
    tokens = np.array([100] * 25 + [9] * 500)
    document = np.concatenate([np.zeros(25, int), np.arange(1, 501)])
    weight = pieces.weigh_pieces(tokens, document)
    assert (weight[25:] > 0).all()
    assert pieces.least_documents(weight, document) == 10


def test_two_books_are_enough_for_a_name():
    assert pieces.least_documents(np.full(6, 1 / 6), np.array([0, 0, 0, 1, 1, 1])) == 2


def test_pieces_with_a_stray_word_of_the_topic_are_about_something_else():
    weight = pieces.weigh_pieces(np.array([20] * 10 + [1] * 100), np.arange(110))
    assert weight[10:].sum() == 0


def test_a_name_is_in_more_documents_the_more_the_topic_is_in():
    documents = np.arange(20)
    assert pieces.least_documents(np.full(20, 1 / 20), documents) == 5
    assert pieces.least_documents(np.full(20, 1 / 20), documents // 5) == 3
