"""Writings of one word that a collection has side by side: co-operation and cooperation, organise
and organize, cœur and coeur.

Only writings count alike that the texts have themselves: no list of words says so.
"""

from collections.abc import Iterator

import numpy as np
import regex

from inference.text.lexicon import Lexicon
from inference.text.stream import Spread, Stream
from inference.text.table import AFTER_APOSTROPHE, AFTER_HYPHEN, NUMBER

# A writing, with a hyphen or a space where it has one, and the word that it counts as
Pair = tuple[str, str]
# Pieces with a hyphen between them, the most frequent ones, that are looked at
MOST_HYPHENATED_PIECES = 20_000
_LETTERS = regex.compile(r"[\p{L}\p{M}]+")
_SPELLINGS = [  # language, "" for any; what is written otherwise; how
    ("", regex.compile("œ"), "oe"),
    ("", regex.compile("æ"), "ae"),
    ("en", regex.compile(r"(?<=\w{3})is(?=(?:e|ed|es|ing|er|ers|ation|ations|ational)$)"), "iz"),
    ("en", regex.compile(r"(?<=\w{2})ys(?=(?:e|ed|es|ing|er|ers)$)"), "yz"),
    ("en", regex.compile(r"(?<=\w{3})our"), "or"),
]
# Letters that carry a hamza in Arabic, which writers leave out or set on another letter; in no
# other language of the script are they one letter
_CARRIED = str.maketrans("أإآٱؤ", "اااائ")
_CARRIERS = regex.compile("[أإآٱؤئ]")
_ANY = regex.compile("[œæ]|is|ys|our")  # of these, to be quick


def find(stream: Stream | Spread, language: str) -> list[Pair]:
    """Writings and the words that they count as; those with hyphens first, the most frequent ones
    first.

    Words on either side of a hyphen count as the word that they make without it, where the texts
    have that, too, and that one as the word with the hyphen where it is rarer; with a space between
    them where a hyphen is more usual there (so "co operation", not "every day"). Of a longer chain
    ("va-t-elle") no two do. Of two spellings the more frequent one stands for both. A word that a
    line's end breaks has a hyphen. Two passes over the stream, in memory of 8 bytes a word of the
    lexicon, and 16 for each two different pieces with a hyphen between them. language: ISO 639-1.
    """
    tokens, pairs, times = _hyphens(stream)
    lexicon: Lexicon = stream.lexicon
    spelt = _spellings(lexicon, tokens, language) | _carried(lexicon, tokens, language)
    first = np.argsort(-times, kind="stable")[:MOST_HYPHENATED_PIECES]
    pairs = pairs[first]
    times = times[first]
    before = lexicon.words(pairs >> 32)
    after = lexicon.words(pairs & 0xFFFFFFFF)
    joined_words = lexicon.find([a + b for a, b in zip(before, after, strict=True)])
    letters = [bool(_LETTERS.fullmatch(a + b)) for a, b in zip(before, after, strict=True)]
    alike = np.flatnonzero(
        (joined_words >= 0) & np.array(letters, bool) & (tokens[joined_words] > 0)
    )
    spaced = _spaces(stream, pairs[alike])
    canonical: dict[str, str] = {}
    for i, times_spaced in zip(alike.tolist(), spaced.tolist(), strict=True):
        word = before[i] + after[i]
        usual = spelt.get(word, word)
        if usual == word and times[i] > tokens[joined_words[i]]:  # it is shown with its hyphen
            usual = f"{before[i]}-{after[i]}"
            canonical[word] = usual
        for mark in "- "[: 1 + (0 < times_spaced < times[i])]:
            canonical[f"{before[i]}{mark}{after[i]}"] = usual
    return list((canonical | spelt).items())


def _hyphens(stream: Stream | Spread) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """int64 by word of the lexicon, how often it occurs; and two pieces with a hyphen between them
    and none beside them, `_keys`, with how often they occur."""
    tokens = np.zeros(len(stream.lexicon), np.int64)
    keys = np.zeros(0, np.int64)
    times = np.zeros(0, np.int64)
    for words in _words(stream):
        tokens += np.bincount(words & NUMBER, minlength=len(tokens))
        new, often = np.unique(_keys(words, AFTER_HYPHEN, without_case=True), return_counts=True)
        keys, at = np.unique(np.concatenate([keys, new]), return_inverse=True)
        times = np.bincount(at, np.concatenate([times, often]), len(keys)).astype(np.int64)
    return tokens, keys, times


def _spaces(stream: Stream | Spread, pairs: np.ndarray) -> np.ndarray:
    """int64: how often the pieces of each pair have a space between them."""
    order = np.argsort(pairs)
    times = np.zeros(len(pairs), np.int64)
    for words in _words(stream) if len(pairs) else ():
        keys = _keys(words, np.int32(0))
        at = np.minimum(np.searchsorted(pairs[order], keys), len(pairs) - 1)
        times += np.bincount(order[at[pairs[order[at]] == keys]], minlength=len(pairs))
    return times


def _words(stream: Stream | Spread) -> Iterator[np.ndarray]:
    return (np.asarray(block.words) for block in stream.blocks(places=False) if len(block.words))


def _keys(words: np.ndarray, flag: np.int32, without_case: bool = False) -> np.ndarray:
    """int64: two neighbours' numbers, the first one's above, of all with this between them;
    without_case: and not before or behind them."""
    flagged = (words >= 0) & ((words & (AFTER_HYPHEN | AFTER_APOSTROPHE)) == flag)
    is_hyphen = flagged[1:]
    if without_case:
        is_hyphen = is_hyphen & ~flagged[:-1] & ~np.append(flagged[2:], False)
    numbers = (words & NUMBER).astype(np.int64)
    return (numbers[:-1] << 32 | numbers[1:])[is_hyphen]


def _spellings(lexicon: Lexicon, tokens: np.ndarray, language: str) -> dict[str, str]:
    """Words of the lexicon that are spelt in another way more often -> the most frequent of all the
    ways that rules lead to, one after the other. Of two as frequent a rule's result."""
    candidate_pairs: list[Pair] = []
    for _, word_block in lexicon.blocks():
        words = [word for word in word_block if _ANY.search(word)]
        for flag, written, replacement in _SPELLINGS:
            if flag in ("", language):
                candidate_pairs += [
                    (word, written.sub(replacement, word)) for word in words if written.search(word)
                ]
    written_numbers = lexicon.find([written for written, _ in candidate_pairs])
    replaced_numbers = lexicon.find([replaced for _, replaced in candidate_pairs])
    often = np.where(written_numbers >= 0, tokens[written_numbers], 0)
    rival = np.where(replaced_numbers >= 0, tokens[replaced_numbers], 0)
    tokens_of_word: dict[str, int] = {}
    group_of_word: dict[str, list[str]] = {}
    for i in np.flatnonzero((often > 0) & (rival > 0)).tolist():
        written, replaced = candidate_pairs[i]
        tokens_of_word[written] = int(often[i])
        tokens_of_word[replaced] = int(rival[i])
        _join(group_of_word, replaced, written)
    usual: dict[str, str] = {}
    for word, group in group_of_word.items():
        most_frequent = max(group, key=tokens_of_word.__getitem__)
        if word != most_frequent:
            usual[word] = most_frequent
    return usual


def _join(group_of_word: dict[str, list[str]], first: str, second: str) -> None:
    """Let two words, and all that were joined to them, be in one group, those of the first in
    front."""
    group = group_of_word.setdefault(first, [first])
    joined = group_of_word.setdefault(second, [second])
    if joined is group:
        return
    group += joined
    for word in joined:
        group_of_word[word] = group


def _carried(lexicon: Lexicon, tokens: np.ndarray, language: str) -> dict[str, str]:
    """Arabic words that are written with and without a hamza, or with another letter below it ->
    the most frequent of these writings. Final ي and ى, ة and ه stay apart: they are often two words
    (علي, على; كتابة, كتابه)."""
    if language != "ar":
        return {}
    carriers: set[str] = set()
    for _, words in lexicon.blocks():
        carriers.update(filter(_CARRIERS.search, words))
    plain = {word.translate(_CARRIED) for word in carriers}
    writings = sorted(carriers | plain)
    numbers = lexicon.find(writings)
    often = np.where(numbers >= 0, tokens[numbers], 0).tolist()
    groups: dict[str, list[tuple[int, str]]] = {}
    for word, count in zip(writings, often, strict=True):
        if count:
            groups.setdefault(word.translate(_CARRIED), []).append((count, word))
    usual: dict[str, str] = {}
    for group in groups.values():
        _, most_frequent = max(group)
        usual |= {word: most_frequent for _, word in group if word != most_frequent}
    return usual
