"""manage.py import_corpus PATH…: read files into a corpus, as the page that prepares one does. The
last line is the corpus's number."""

import argparse
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.core.management.base import CommandError

from inference.errors import Invalid, number_of
from webapp.intake import file_formats
from webapp.intake.ingest import corpora, previews, pseudonyms
from webapp.intake.ingest.asked_reading import AskedFiles, AskedPseudonyms
from webapp.intake.ingest.reading_forms import ReadingForm
from webapp.intake.ingest.shaping_forms import ShapingForm
from webapp.management.base import OwnCommand
from webapp.management.progress import follow_reading, follow_storing
from webapp.models import Corpus
from webapp.platform.pages.asked_forms import SentSeveral, SentWords

# The fields of the page's form, but for what is chosen in its preview, and whether to train
FORM_FIELDS: dict[str, forms.Field] = {
    name: field
    for name, field in {**ReadingForm.base_fields, **ShapingForm.base_fields}.items()
    if name not in ("name", "train", "kept_words", "apart")
}

FLAG: dict[str, Any] = {"action": argparse.BooleanOptionalAction}


class Command(OwnCommand):
    help = (
        f"Read files into a new corpus; prints its number last. {file_formats.formats.sentence()} "
        "What is not given is as the page proposes it. Columns are given by name, or number from 1."
    )

    arguments = {
        "paths": {"nargs": "+", "metavar": "PATH", "help": "a file, or a folder: all files in it"},
        "--name": {"default": "", "help": "of the corpus; by default the first file's"},
        "--no-wait": {
            "action": "store_true",
            "help": "print the number and leave; a worker reads on",
        },
    }

    def add_arguments(self, parser):
        super().add_arguments(parser)
        form = parser.add_argument_group("options of the form")
        for name, declared in AskedPseudonyms.model_fields.items():
            of_list = name == "pseudonym_column"
            form.add_argument(
                f"--{name.replace('_', '-')}",
                default=None,
                help=declared.description,
                **({"metavar": "COLUMN", "nargs": "*"} if of_list else FLAG),
            )
        for name, field in FORM_FIELDS.items():
            kind: dict[str, Any] = {"metavar": name.upper()}
            if isinstance(field, forms.BooleanField):
                kind = FLAG
            elif isinstance(field, SentSeveral | SentWords):
                kind |= {"nargs": "*"}
            form.add_argument(
                f"--{name.replace('_', '-')}",
                default=None,
                help=f"{field.label}. {field.help_text}".replace("%", "%%"),
                **kind,
            )

    def handle(self, *args, **options):
        names = (*FORM_FIELDS, *AskedPseudonyms.model_fields)
        options_chosen = {name: options[name] for name in names if options[name] is not None}
        with _as_options():
            asked = AskedFiles.of_texts(options_chosen)
        copies = [self._copy(*file) for file in self._files(options["paths"])]
        try:
            corpus = corpora.create(options["name"], copies)
            try:
                with _as_options():
                    corpus = self._begin(corpus, asked)
            except (CommandError, file_formats.Unreadable):
                corpora.discard(corpus)
                raise
        except (Invalid, file_formats.Unreadable) as error:
            raise CommandError(str(error)) from None
        finally:
            for copy in copies:
                copy.path.unlink(missing_ok=True)  # of one that was refused
        if not options["no_wait"]:
            if asked.pseudonyms:
                follow_storing(corpus)
            follow_reading(corpus)
            self._tell(corpus)
        self.stdout.write(str(corpus.pk))

    def _begin(self, corpus: Corpus, asked: AskedFiles) -> Corpus:
        """Have a draft read, or replaced by one with pseudonyms, which is then read by itself;
        returns the corpus that its documents come to. Raises Invalid and Unreadable."""
        proposal = previews.propose(corpus, asked)
        if asked.has_persons_replaced:
            return pseudonyms.begin_as_asked(corpus, asked, proposal)
        corpus.unit = proposal.unit
        corpora.read(corpus, proposal.reading)
        return corpus

    def _files(self, options: list[str]) -> list[tuple[Path, str]]:
        """Each file and its name; of files in a folder with the folder's and those within."""
        files = []
        for path in map(Path, options):
            if not path.exists():
                raise CommandError(f"There is no file {path}.")
            if path.is_dir():
                folder_name = Path(path.resolve().name)
                within = [entry for entry in sorted(path.rglob("*")) if entry.is_file()]
                files += [(file, str(folder_name / file.relative_to(path))) for file in within]
            else:
                files.append((path, path.name))
        return files

    def _copy(self, path: Path, name: str) -> corpora.ReceivedFile:
        """A copy for Topograph to keep: the user's file stays where it is."""
        copy = settings.FILE_UPLOAD_TEMP_DIR / f"import-{os.getpid()}-{os.urandom(6).hex()}"
        shutil.copyfile(path, copy)
        return corpora.ReceivedFile(name, copy)

    def _tell(self, corpus: Corpus) -> None:
        report = (corpus.version.report if corpus.version else {}) | corpus.report
        documents = number_of(corpus.documents, "document")
        words = number_of(corpus.tokens, "word")
        self.stderr.write(f"{documents}, {words}, vocabulary of {corpus.vocabulary:,}")
        for reason, (types, tokens) in report["dropped"].items():
            self.stderr.write(
                f"  dropped as {reason}: {number_of(types, 'different word')},"
                f" {number_of(tokens, 'occurrence')}"
            )
        for kind, count in report["problem_counts"].items():
            self.stderr.write(f"  {kind}: {count:,}")
        for problem in report["problems"][:10]:
            self.stderr.write(f"  {problem['message']}")


@contextmanager
def _as_options() -> Iterator[None]:
    """What is wrong with an option is said with its name."""
    try:
        yield
    except Invalid as error:
        raise CommandError(f"--{error.field.replace('_', '-')}: {error}") from None
