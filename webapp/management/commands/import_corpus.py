"""manage.py import_corpus PATH…: read files into a corpus, as the pages do. The last line is the corpus's number."""

import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from inference.errors import Invalid
from inference.text import LANGUAGES
from webapp import readers
from webapp.ingest import corpora, guesses, previews
from webapp.ingest.shaping import CERTAIN, Shaping
from webapp.management.base import OwnCommand
from webapp.management.progress import follow_reading
from webapp.models import Corpus

DEFAULT = corpora.ReadingSettings()


class Command(OwnCommand):
    help = f"Read files into a new corpus; prints its number last. {readers.formats.sentence()}"

    def add_arguments(self, parser):
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder: all files in it")
        parser.add_argument("--name", default="", help="of the corpus; by default the first file's")
        parser.add_argument("--language", default="detect", choices=["detect", "none", *LANGUAGES], metavar="CODE",
                            help="ISO 639-1, for stop words and search; none for none (default: what the texts seem to be in)")  # fmt: skip
        parser.add_argument("--also", action="append", default=[], choices=[*LANGUAGES], metavar="CODE",
                            help="a language whose stop words are left out, too; may be repeated")  # fmt: skip
        parser.add_argument("--min-documents", type=int,
                            help="leave out words in fewer documents; by default what suits their number")  # fmt: skip
        parser.add_argument("--max-share", type=float, default=DEFAULT.max_share,
                            help="leave out words in more than this share of documents (default: %(default)s)")  # fmt: skip
        parser.add_argument("--section-words", type=int, default=DEFAULT.section_words, metavar="N",
                            help="train on sections of so many words of longer documents, which stay whole (default: %(default)s; 0: none)")  # fmt: skip
        parser.add_argument("--spread-evenly", action="store_true", help="frequent words that are spread evenly count")
        parser.add_argument("--min-length", type=int, default=DEFAULT.min_length,
                            help="leave out words with fewer letters (default: %(default)s)")  # fmt: skip
        parser.add_argument("--stop-words", type=Path, metavar="FILE", help="more words to leave out, one on a line")
        for role in ("text", "title", "date", "id"):
            parser.add_argument(
                f"--{role}", metavar="COLUMN", help=f"name, or number from 1, of the column with the {role}"
            )
        parser.add_argument("--encoding", help="of the files; by default it is detected")
        parser.add_argument(
            "--header", action="store_true", default=None, help="the first row holds the names of the columns"
        )
        parser.add_argument("--no-header", action="store_false", dest="header", help="it does not")
        parser.add_argument("--header-row", type=int, metavar="N", help="row N holds them; by default it is looked for")
        parser.add_argument(
            "--keep-html",
            action="store_false",
            default=None,
            dest="html",
            help="leave tags and entities of HTML in the texts",
        )
        parser.add_argument("--sections", metavar="BY[:N]",
                            help="cut long documents: words:1000, pages:10, paragraphs, headings; with a number for the last two, the least words")  # fmt: skip
        parser.add_argument(
            "--heading", default="", metavar="TEXT", help="a line that begins with it is a heading, such as CHAPTER"
        )
        parser.add_argument(
            "--join",
            default="",
            metavar="FIELDS",
            help="join documents with the same values of these fields, separated by commas",
        )
        parser.add_argument(
            "--join-period", default="", choices=["day", "month", "year"], help="and of one day, month or year"
        )
        parser.add_argument("--names", action="store_true", help="names of folders and files become fields")
        parser.add_argument(
            "--pattern", default="", help="of the files' names, such as {year}_{author}.txt: its parts become fields"
        )
        parser.add_argument(
            "--metadata", type=Path, metavar="FILE", help="a table about the files, joined by their names or ids"
        )
        parser.add_argument("--metadata-key", metavar="COLUMN", help="its column with them; by default it is guessed")
        parser.add_argument(
            "--keep-addresses", action="store_true", help="words of addresses, “RT”, entities and quoted mail count"
        )
        parser.add_argument("--no-wait", action="store_true", help="print the number and leave; a worker reads on")

    def handle(self, *args, **given):
        try:
            shaping = self._shaping(given)
            files = self._files(given["paths"])
            if table := given["metadata"]:
                if not table.is_file():
                    raise CommandError(f"There is no file {table}.")
                shaping |= {"table": table.name}
                files = [(path, name) for path, name in files if path.resolve() != table.resolve()] + [
                    (table, table.name)
                ]
            corpus = corpora.create(given["name"], [self._copy(path, name) for path, name in files])
            given["shaping"] = self._with_key(corpus, shaping, given["metadata_key"])
            corpora.read(corpus, self._reading(corpus, given))
        except (Invalid, readers.Unreadable) as error:
            raise CommandError(str(error)) from None
        if not given["no_wait"]:
            follow_reading(corpus)
            self._tell(corpus)
        self.stdout.write(str(corpus.pk))

    def _shaping(self, given: dict) -> dict:
        by, _, number = (given["sections"] or "").partition(":")
        if number and not number.isdigit():
            raise CommandError(
                f"--sections is written words:1000, pages:10, paragraphs:50 or headings, not {given['sections']}."
            )
        sizes = {"length" if by in ("words", "pages") else "least": int(number)} if number else {}
        fields: dict[str, Any] = {
            "silent": () if given["keep_addresses"] else CERTAIN,
            "sections": by,
            "marker": given["heading"],
            "period": given["join_period"],
            "names": given["names"],
            "pattern": given["pattern"],
            "join": tuple(name.strip() for name in given["join"].split(",") if name.strip()),
        }
        return asdict(Shaping(**fields | sizes))

    def _with_key(self, corpus: Corpus, shaping: dict, key: str | None) -> dict:
        if not shaping["table"]:
            return shaping
        guessed = guesses.guess_table(corpus)
        if key is None and guessed and guessed.name == shaping["table"]:
            key = guessed.key
        if key is None:
            raise CommandError(
                f"No column of {shaping['table']} seems to hold the files' names; say which by --metadata-key."
            )
        return asdict(Shaping(**shaping | {"key": key}))

    def _files(self, given: list[str]) -> list[tuple[Path, str]]:
        """Each file and its name; of files in a folder with the folder's and those within."""
        files = []
        for path in map(Path, given):
            if not path.exists():
                raise CommandError(f"There is no file {path}.")
            if path.is_dir():
                files += [
                    (p, str(Path(path.resolve().name) / p.relative_to(path)))
                    for p in sorted(path.rglob("*"))
                    if p.is_file()
                ]
            else:
                files.append((path, path.name))
        return files

    def _copy(self, path: Path, name: str) -> corpora.ReceivedFile:
        """A copy for Topograph to keep: the user's file stays where it is."""
        copy = settings.FILE_UPLOAD_TEMP_DIR / f"import-{os.getpid()}-{os.urandom(6).hex()}"
        shutil.copyfile(path, copy)
        return corpora.ReceivedFile(name, copy)

    def _reading(self, corpus: Corpus, given: dict) -> corpora.ReadingSettings:
        options = {
            name: given[name] for name in ("encoding", "header", "header_row", "html") if given[name] is not None
        }
        sniff = guesses.sniff(corpus, **options)
        columns: dict[str, Any] = {
            role: self._column(sniff, given[role]) for role in ("text", "title", "date", "id") if given[role]
        }
        words = given["stop_words"].read_text(encoding="utf-8").lower().split() if given["stop_words"] else []
        reading = corpora.ReadingSettings(
            options=asdict(replace(sniff.options, **columns)),
            language=self._language(sniff, given["language"]),
            also=given["also"],
            min_documents=given["min_documents"] or DEFAULT.min_documents,
            max_share=given["max_share"],
            spread_evenly=given["spread_evenly"],
            section_words=given["section_words"],
            min_length=given["min_length"],
            extra_stop_words=sorted(set(words)),
            shaping=given["shaping"],
        )
        if given["min_documents"] is None:
            return replace(reading, min_documents=previews.proposed(corpus, reading).min_documents)
        return reading

    def _language(self, sniff: readers.Sniff, given: str) -> str:
        if given != "detect":
            return "" if given == "none" else given
        language, _ = guesses.guess_language(sniff)
        self.stderr.write(
            f"It seems to be {LANGUAGES[language]}."
            if language
            else "Its language can't be told; no stop words are left out."
        )
        return language

    def _column(self, sniff: readers.Sniff, wanted: str) -> int:
        if wanted in sniff.columns:
            return sniff.columns.index(wanted)
        if wanted.isdigit() and 1 <= int(wanted) <= len(sniff.columns):
            return int(wanted) - 1
        raise CommandError(f"There is no column {wanted!r}; the columns are {', '.join(sniff.columns) or 'none'}.")

    def _tell(self, corpus: Corpus) -> None:
        report = (corpus.version.report if corpus.version else {}) | corpus.report
        self.stderr.write(
            f"{corpus.documents:,} documents, {corpus.tokens:,} words, vocabulary of {corpus.vocabulary:,}"
        )
        for reason, (types, tokens) in report["dropped"].items():
            self.stderr.write(f"  dropped as {reason}: {types:,} different words, {tokens:,} occurrences")
        for kind, count in report["problem_counts"].items():
            self.stderr.write(f"  {kind}: {count:,}")
        for problem in report["problems"][:10]:
            self.stderr.write(f"  {problem['message']}")
