"""Trials of libraries beside parts of our own, which docs/measurements/by-hand.md quotes. Each takes seconds.

    pip install --target FOLDER tantivy tokenizers charset-normalizer chardet dateparser python-dateutil datasketch rensa
    PYTHONPATH=FOLDER python -m benchmarks.by_hand [index] [words] [encodings] [dates] [near]

A trial is skipped, with the reason, where a library or a file is not there. Times are of the processor, of all threads together.
"""

import ast
import csv
import gzip
import importlib.metadata
import sys
import tempfile
import time
import zipfile
from collections import Counter
from datetime import datetime
from pathlib import Path

from inference.index import Index
from inference.text import Stream, Tokeniser, duplicates
from webapp.metadata.dates import parse_date
from webapp.readers.opening import guess_encoding

ROOT = Path(__file__).resolve().parent.parent
DECLARATIONS = ROOT.parent / "shared/corpora/languages/udhr_mixed_encodings/udhr_310lang_native_encodings.zip"
csv.field_size_limit(sys.maxsize)
with gzip.open(ROOT / "webapp/example/state_of_the_union.csv.gz", "rt", encoding="utf-8", newline="") as example:
    ROWS = list(csv.DictReader(example))


def timed(call, *arguments):
    """(what the call returns, its processor time in milliseconds)."""
    began = time.process_time()
    return call(*arguments), 1e3 * (time.process_time() - began)


def say(library: str, **results) -> None:
    version = "" if library == "ours" else " " + importlib.metadata.version(library)
    rounded = (f"{name} {value:,.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in results.items())  # fmt: skip
    print(f"  {library}{version}:", "; ".join(rounded), flush=True)


def stream(folder: Path, rows: list[dict], given: bool = False) -> Stream:
    with Stream.write(folder, Tokeniser("en", given)) as writer:
        writer.add([row["text"] for row in rows], [row["title"] for row in rows])
        writer.commit()
    return Stream.open(folder)


def index(folder: Path) -> None:
    """Stems of English, places of words, titles. Ours is made of the stream, which every other part needs, too."""
    import tantivy

    Tokeniser("en").spans("loads the kernels")
    pieces, cut = timed(stream, folder / "stream", ROWS)
    build = [timed(Index.write, folder / name, pieces, "en")[1] for name in ("loads the kernels", "index")][1]
    ours = Index.open(folder / "index", pieces, Tokeniser("en").spans)
    ours.rank('"a b" c', ours.find('"a b" c'))  # loads the kernels
    schema = tantivy.SchemaBuilder().add_integer_field("number", fast=True)
    for field in ("title", "text"):
        schema.add_text_field(field, tokenizer_name="en_stem", index_option="position")
    (folder / "tantivy").mkdir()
    theirs = tantivy.Index(schema.build(), str(folder / "tantivy"))
    began, writer = time.process_time(), theirs.writer(128 << 20, 1)
    for number, row in enumerate(ROWS):
        writer.add_document(tantivy.Document(number=number, text=row["text"], title=row["title"]))
    writer.commit()
    writer.wait_merging_threads()
    for name, took in {"stream": cut, "index": build, "tantivy": 1e3 * (time.process_time() - began)}.items():
        say("ours" if name != "tantivy" else name, of=name, bytes=sum(path.stat().st_size for path in (folder / name).rglob("*") if path.is_file()), build_ms=took)  # fmt: skip
    theirs.reload()
    searcher = theirs.searcher()
    for typed in ("the", "government", '"united states"'):
        numbers, find = timed(ours.find, typed)
        say("ours", **{typed: len(numbers)}, find_ms=find, rank_all_ms=timed(ours.rank, typed, numbers)[1])
        query = theirs.parse_query(typed, ["text", "title"], field_boosts={"title": 5.0})
        hits, first = timed(searcher.search, query, 20)
        every, rank = timed(searcher.search, query, len(ROWS))
        fetch = timed(lambda every=every: searcher.fast_field_values("number", [address for _, address in every.hits]))[
            1
        ]
        say("tantivy", **{typed: hits.count}, find_and_rank_20_ms=first, rank_all_ms=rank, numbers_of_all_ms=fetch)


def words(folder: Path) -> None:
    """2,000 documents to words and their places. Ours gives each word its number, too. regex: with the pattern of our tests."""
    from tokenizers import pre_tokenizers

    from tests.inference.text.naive import PIECE

    texts, ours, cut = [row["text"] for row in ROWS[:2000]], Tokeniser("en"), pre_tokenizers.Whitespace().pre_tokenize_str  # fmt: skip
    ours.spans("loads the kernels")
    calls = {"ours": lambda: len(ours.pieces(texts).words), "regex": lambda: sum(len([match.span() for match in PIECE.finditer(text)]) for text in texts), "tokenizers": lambda: sum(len(cut(text)) for text in texts)}  # fmt: skip
    for library, call in calls.items():
        count, took = timed(call)
        say(library, words=count, million_characters_a_second=sum(map(len, texts)) / 1e3 / took)


def encodings(folder: Path) -> None:
    """Sentences of tests/webapp/readers/test_encodings.py, and the Declaration of Human Rights in 310 languages."""
    import chardet
    import charset_normalizer

    body = ast.parse((ROOT / "tests/webapp/readers/test_encodings.py").read_text()).body  # an import would need Django
    tables = {node.targets[0].id: node.value for node in body if isinstance(node, ast.Assign)}
    labels, mislabelled, sentences = (ast.literal_eval(tables[name]) for name in ("LABELS", "MISLABELLED", "SENTENCES"))
    files = [(text.encode(encoding), encoding) for encoding, text in sentences.items() if encoding != "cp1258"]
    with zipfile.ZipFile(DECLARATIONS) as archive:
        known = {name: mislabelled.get(name) or labels.get(name.removesuffix(".txt").rsplit("-", 1)[-1]) for name in archive.namelist()}  # fmt: skip
        files += [(archive.read(name), encoding) for name, encoding in known.items() if encoding]
    calls = {"ours": guess_encoding, "charset-normalizer": lambda data: getattr(charset_normalizer.from_bytes(data).best(), "encoding", None), "chardet": lambda data: chardet.detect(data)["encoding"]}  # fmt: skip
    for library, guess in calls.items():
        guess("Příliš".encode("cp1250"))  # loads what it needs
        guesses, took = timed(lambda guess=guess: [guess(data) for data, _ in files])
        wrong = [f"{e} as {g}" for (data, e), g in zip(files, guesses, strict=True) if not g or len({data.decode(x, "replace").removeprefix("\ufeff") for x in (e, g)}) > 1]  # fmt: skip
        say(library, wrong=f"{len(wrong)} of {len(files)}", ms_a_file=took / len(files), most=Counter(wrong).most_common(5))  # fmt: skip


def dates(folder: Path) -> None:
    """The examples of tests/webapp/metadata/test_dates.py: the right day, or none where a guess would be a lie."""
    import dateparser
    import dateutil.parser

    from tests.webapp.metadata.test_dates import test_dates

    settings = {"PREFER_DAY_OF_MONTH": "first", "PREFER_MONTH_OF_YEAR": "first", "REQUIRE_PARTS": ["year"]}
    calls = {"ours": parse_date, "dateparser": lambda text: dateparser.parse(text, settings=settings), "python-dateutil": lambda text: dateutil.parser.parse(text, default=datetime(2000, 1, 1))}  # fmt: skip
    plain = [f"{day} March {year}" for year in range(1850, 1880) for day in range(1, 11)]
    for library, parse in calls.items():
        results: Counter[str] = Counter()
        for text, wanted in test_dates.pytestmark[0].args[1]:
            try:
                value = parse(text)
                value = value.date() if isinstance(value, datetime) else value
            except (ValueError, OverflowError):
                value = None
            results["right" if value == wanted else "invented" if wanted is None else "another day" if value else "missed"] += 1  # fmt: skip
        say(library, **results, microseconds=1e3 * timed(lambda parse=parse: [*map(parse, plain)])[1] / len(plain))


def near(folder: Path) -> None:
    """1,000 documents and 100 of them with a word in forty replaced: 100 hash functions, 20 bands. Ours compares pairs, too."""
    import datasketch
    import rensa

    cut = [row["text"].lower().split() for row in ROWS[:1000]]
    cut += [[f"x{i}" if i % 40 == 7 else word for i, word in enumerate(text)] for text in cut[:100]]
    pieces = stream(folder, [{"text": " ".join(text), "title": ""} for text in cut], given=True)
    duplicates.find(pieces)  # loads the kernels
    (_, first), took = timed(duplicates.find, pieces)
    say("ours", found=int((first[1000:] == range(100)).sum()), ms=took)
    calls = {"datasketch": (datasketch.MinHashLSH(0.8, 100, params=(20, 5)), lambda: datasketch.MinHash(100), str.encode), "rensa": (rensa.RMinHashLSH(0.8, 100, 20), lambda: rensa.RMinHash(100, 1), str)}  # fmt: skip
    for library, (table, sketch, encode) in calls.items():
        began, found = time.process_time(), 0
        for number, text in enumerate(cut):
            minhash = sketch()
            shingles = {encode(" ".join(text[i : i + 3])) for i in range(len(text) - 2)}
            getattr(minhash, "update_batch", minhash.update)(list(shingles))
            found += number - 1000 in table.query(minhash)
            table.insert(number, minhash)
        say(library, found=found, ms=1e3 * (time.process_time() - began))


if __name__ == "__main__":
    for trial in sys.argv[1:] or ["index", "words", "encodings", "dates", "near"]:
        print(f"{trial}: {globals()[trial].__doc__}", flush=True)
        try:
            with tempfile.TemporaryDirectory() as scratch:
                globals()[trial](Path(scratch))
        except (ImportError, FileNotFoundError) as error:
            print(f"  skipped: {error}")
