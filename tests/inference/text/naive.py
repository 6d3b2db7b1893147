"""Slow, obvious twins of inference/text: regular expressions, dictionaries, one text at a time."""

from collections import Counter

import numpy as np
import regex

from inference.text import VocabularyChoice
from inference.text.characters import canonical
from inference.text.clitics import CLITICS
from inference.text.segment import segmenter
from inference.text.spelling import POINTS, folded

_IDEOGRAPH = r"[\p{L}&&[\p{Han}\p{Hiragana}]]|〇"
_KATAKANA = r"[\p{L}&&\p{WB=Katakana}--[\uFF9E\uFF9F]]"
_LETTER = (
    rf"[\p{{L}}--{POINTS}--\p{{Han}}--\p{{Hiragana}}--\p{{WB=Katakana}}--[\uFF9E\uFF9F\u02BC]]"
)
_BETWEEN = rf"[\u200C\u200D\p{{WB=Format}}{POINTS}]*"
_MARK = rf"(?:{_BETWEEN}[[\p{{M}}--{POINTS}]\uFF9E\uFF9F])"
_INNER = (
    r"(?:(?<=[\p{Cyrillic}&&\p{L}])['\u2019\u02BC](?=[\p{Cyrillic}&&\p{L}])"
    r"|(?<=[\p{Hebrew}&&\p{L}])['\u2019\u02BC\u05F3\"\u05F4\u201C\u201D\u201E](?=[\p{Hebrew}&&\p{L}])"
    r"|(?<=[lL])[\u00B7\u2027](?=[lL]))"
)
_GENDERED = (
    r"(?:(?<=[\p{Latin}&&\p{L}])[*:_](?=[iI][nN](?:[nN][eE][nN])?"
    r"(?![\p{L}\p{M}\p{Nd}\p{WB=Format}\u200C\u200D]|[〇])))"
)
_NUMBER = r"(?<=\p{Nd})[.,'\u2019\u02BC](?=\p{Nd})"
_CHARACTER = rf"(?:{_LETTER}|\p{{Nd}})"


def _pattern(together: bool, gendered: bool) -> regex.Pattern:
    inner = rf"{_INNER}|{_GENDERED}" if gendered else _INNER
    word = (
        rf"{_CHARACTER}(?:{_MARK}|{_BETWEEN}{_CHARACTER}|{_NUMBER}\p{{Nd}}"
        rf"|(?:{inner}){_CHARACTER})*"
    )
    if together:
        east = rf"(?:{_IDEOGRAPH}|{_KATAKANA})"
        return regex.compile(rf"{word}|{east}(?:{_MARK}|{_BETWEEN}{east})*", regex.V1)
    return regex.compile(
        rf"{word}|(?:{_KATAKANA})(?:{_MARK}|{_BETWEEN}{_KATAKANA})*|(?:{_IDEOGRAPH}){_MARK}*",
        regex.V1,
    )


PIECE = _pattern(False, False)
TOGETHER = _pattern(True, False)
GERMAN = _pattern(False, True)
GIVEN = regex.compile(r"[^\s\p{Cc}\p{Cs}]+")
BREAKS = ("|", ".", "¶")
_BREAK = regex.compile(rf"[\s\p{{Cc}}\u200C\u200D\p{{WB=Format}}{POINTS}]*", regex.V1)


def pieces(text: str, language: str = "", given: bool = False) -> list[tuple[int, int, str, str]]:
    """(start, end, word, what stands before: "" "-" "'", or one of BREAKS)."""
    if given:
        return [(m.start(), m.end(), m.group()[:65], "") for m in GIVEN.finditer(text)]
    segment = segmenter(language)
    cuts = {0, len(text)} | (set(segment(text).tolist()) if segment else set())
    pattern = TOGETHER if language in ("zh", "ja", "ko") else PIECE
    pattern = GERMAN if language == "de" else pattern
    found = []
    before = None
    at = 0
    while match := pattern.search(text, at):
        start, end = match.span()
        inside = sorted(cut for cut in cuts if start < cut < end and pattern.match(text[cut]))
        if inside:
            end = pattern.match(text[start : inside[0]]).end() + start
        between = text[before:start] if before is not None else ""
        mark = (
            "-"
            if regex.fullmatch(r"[-\u2010\u2011](?:[\s\p{Cc}]*\n[\s\p{Cc}]*)?", between)
            and between.count("\n") < 2
            else "'"
            if regex.fullmatch(r"['\u2019\u02BC]", between)
            else ""
        )
        if not mark and between.count("\n") > 1:
            mark = "¶"
        elif not mark and not _BREAK.fullmatch(between):
            mark = "." if regex.search("[.!?…؟۔।。！？]", between) else "|"
        found.append((start, end, word(text[start:end], language), mark))
        before = at = end
    return found


def word(written: str, language: str = "") -> str:
    turkic = language in ("tr", "az")
    written = regex.sub(rf"(?![\u200C\u200D])\p{{WB=Format}}|{POINTS}", "", written)[:65]
    if turkic:
        written = written.replace("I", "ı").replace("İ", "i")
    low = "".join(c.lower() if len(c.lower()) == 1 else c for c in written)
    return folded(canonical(low, turkic), language) if len(low) <= 64 else low


def units(text: str, choice, language: str = "", given: bool = False) -> list[tuple[int, int, str]]:
    """(start, end, written word) of a text, hyphens, apostrophes and phrases joined as a choice has
    them."""
    found: list[list] = []
    piece_before = ""
    for start, end, word, mark in pieces(text, language, given):
        joins = (mark == "-" and choice.hyphens == "join") or (
            mark == "'" and apostrophe_joins(choice, piece_before, word)
        )
        piece_before = word
        if joins and found and found[-1][4] < 8:
            found[-1] = [
                found[-1][0],
                end,
                found[-1][2] + mark + word,
                found[-1][3],
                found[-1][4] + 1,
            ]
        else:
            found.append([start, end, word, mark, 1])
    found = [tuple(unit) for unit in varied([unit[:4] for unit in found], choice)]
    phrases = sorted((phrase.split(" ") for phrase in choice.phrases), key=len, reverse=True)
    out = []
    i = 0
    while i < len(found):
        for phrase in phrases:
            part = found[i : i + len(phrase)]
            if [unit[2] for unit in part] == phrase and all(
                unit[3] not in BREAKS for unit in part[1:]
            ):
                out.append((part[0][0], part[-1][1], "_".join(phrase)))
                i += len(phrase)
                break
        else:
            out.append(tuple(found[i][:3]))
            i += 1
    return out


def apostrophe_joins(choice, before: str, behind: str) -> bool:
    if choice.apostrophes != "clitics":
        return choice.apostrophes == "join"
    clitics = CLITICS.get(choice.language)
    return clitics is not None and before not in clitics.before and behind not in clitics.behind


def varied(found: list, choice) -> list:
    """Variants counted as their words: of two units before those of one."""
    out = []
    i = 0
    while i < len(found):
        for written, counts_as in sorted(
            choice.variants, key=lambda pair: len(regex.split("[- ]", pair[0])), reverse=True
        ):
            hyphen = "-" in written and choice.hyphens == "split"
            parts = regex.split("[- ]", written) if hyphen or " " in written else [written]
            units = found[i : i + len(parts)]
            marks = ("-", "'") if hyphen else ("", "-", "'")
            if [unit[2] for unit in units] == parts and all(unit[3] in marks for unit in units[1:]):
                out.append((units[0][0], units[-1][1], counts_as, units[0][3]))
                i += len(parts)
                break
        else:
            out.append(found[i])
            i += 1
    return out


def choose(texts, choice, turn=None, left_out=(), language: str = "", given: bool = False):
    """(words, dropped, rows: of each document word -> places)."""
    phrases = {phrase.replace(" ", "_") for phrase in choice.phrases}
    cut = [
        [] if d in left_out else units(text, choice, language, given)
        for d, text in enumerate(texts)
    ]

    def reason(word):
        if word in phrases:
            return "too long" if len(word) > 64 else None
        if regex.match(r"\p{Nd}", word) and not choice.numbers:
            return "number"
        if len(word) < choice.min_length and not regex.match(r"[\p{Han}\p{Hiragana}가-힣]", word):
            return "too short"
        if len(word) > 64:
            return "too long"
        parts = word.split("'")
        return (
            "stop word"
            if word in choice.stop_words or (len(parts) > 1 and choice.stop_words.issuperset(parts))
            else None
        )

    dropped = {}
    counted = []
    for found in cut:
        counted.append([])
        for start, _, word in found:
            if why := reason(word):
                dropped.setdefault(why, []).append(word)
            else:
                counted[-1].append((start, word if turn is None or word in phrases else turn(word)))
    tokens = Counter(word for found in counted for _, word in found)
    documents = Counter(word for found in counted for word in {word for _, word in found})
    rare = {word for word in tokens if documents[word] < choice.min_documents}
    common = {
        word for word in tokens if documents[word] > choice.max_share * (len(texts) - len(left_out))
    } - rare
    common -= choice.kept
    evenly = even(cut, tokens, documents, left_out) - rare - common - choice.kept
    evenly = set() if choice.spread_evenly else evenly
    kept = sorted(tokens.keys() - rare - common - evenly, key=lambda word: (-tokens[word], word))
    said = {why: (len(set(words)), len(words)) for why, words in dropped.items()}
    for why, words in (("too rare", rare), ("too common", common), ("spread evenly", evenly)):
        if words:
            said[why] = (len(words), sum(tokens[word] for word in words))
    rows = [
        {
            word: [at for at, other in found if other == word]
            for _, word in found
            if word in set(kept)
        }
        for found in counted
    ]
    return kept, said, rows


def even(cut, tokens, documents, left_out) -> set[str]:
    """Words in more than a tenth of documents of up to 600 words whose residual idf is below the
    median of the 500 most frequent, the lowest first, up to a tenth of all words."""
    lengths = [len(found) for d, found in enumerate(cut) if d not in left_out]
    some = [length for length in lengths if length]
    if len(some) < 200 or np.median(some) < 100:
        return set()

    def residual(word):
        expected = sum(1 - np.exp(-tokens[word] * length / sum(some)) for length in some)
        return round(np.log(expected / documents[word]), 9)

    middle = np.median(
        [residual(word) for word in sorted(tokens, key=lambda word: -tokens[word])[:500]]
    )
    often = sorted((word for word in tokens if documents[word] > 0.1 * len(lengths)), key=residual)
    sums = np.cumsum([tokens[word] for word in often])
    return {
        word
        for word, n in zip(often, sums, strict=True)
        if residual(word) < middle and n <= 0.1 * sum(tokens.values())
    }


def phrases(texts, choice, given_phrases=()) -> dict[str, tuple[int, int, float]]:
    """One round: phrase -> (documents, times, score)."""
    cut = []
    tokens = Counter()
    for text in texts:
        found = []
        marks = {start: mark for start, *_, mark in pieces(text)}
        for start, _, word in units(
            text,
            VocabularyChoice(
                choice.stop_words,
                hyphens=choice.hyphens,
                apostrophes=choice.apostrophes,
                phrases=given_phrases,
            ),
        ):
            found.append((word.replace("_", " "), marks[start] in BREAKS))
        cut.append(found)
        tokens.update(word for word, _ in found)

    def stop(word):
        return word in choice.stop_words and len(word) >= choice.min_length

    def content(word):
        return " " in word or (
            not stop(word) and not word[0].isdigit() and choice.min_length <= len(word) <= 64
        )

    times = Counter()
    documents = Counter()
    for found in cut:
        seen = []
        for i in range(len(found)):
            for j in range(i + 1, min(i + 4, len(found))):
                part = found[i : j + 1]
                words = [word for word, _ in part]
                between = all(stop(word) and not content(word) for word in words[1:-1])
                if (
                    content(words[0])
                    and content(words[-1])
                    and between
                    and not any(after for _, after in part[1:])
                ):
                    seen.append((" ".join(words), words[0], words[-1]))
        times.update(seen)
        documents.update(set(seen))
    N = sum(tokens.values())
    out = {}
    for (phrase, a, b), k in times.items():
        table = np.array(
            [[k, tokens[a] - k], [tokens[b] - k, N - tokens[a] - tokens[b] + k]], float
        ).clip(0)
        expected = np.outer([tokens[a], N - tokens[a]], [tokens[b], N - tokens[b]]) / N
        if (
            k >= max(5, choice.min_documents)
            and documents[phrase, a, b] >= choice.min_documents
            and k > expected[0, 0]
        ):
            with np.errstate(divide="ignore", invalid="ignore"):
                score = 2 * np.nansum(table * np.log(table / expected))
            if score > 10.83:
                out[phrase] = documents[phrase, a, b], k, score
    return out


def triples(text: str) -> set[tuple[str, ...]]:
    words = [word for *_, word, _ in pieces(text)]
    return set(zip(words, words[1:], words[2:], strict=False))


def alike(a: set, b: set) -> float:
    """Jaccard similarity."""
    return len(a & b) / max(len(a | b), 1)
