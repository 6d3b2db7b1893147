"""manage.py export_topics RUN > topics.csv: the same files as the pages give."""

import os
import sys

from django.core.management.base import CommandError
from django.http import QueryDict

from webapp.management.base import OwnCommand
from webapp.models import Run
from webapp.service.exports.catalogue import find_kind
from webapp.service.exports.export_query import read_source
from webapp.service.exports.making import make_file
from webapp.service.exports.tables import MAX_WORDS, WIDE_WORDS

FILE_FORMATS = {  # of --format
    "long": "topics-long.csv",
    "wide": "topics-wide.csv",
    "documents": "document-topics.csv",
    "site": "site.zip",
}


class Command(OwnCommand):
    help = (
        "Write a run's topics (or its documents' proportions) as CSV, or as plain pages, to"
        " standard output."
    )

    arguments = {
        "run": {"type": int, "metavar": "RUN", "help": "its number, as train prints it"},
        "--format": {
            "choices": FILE_FORMATS,
            "default": "long",
            "help": (
                "long: topic, rank, word, weight; wide: one row a topic; documents: their topics;"
                " site: a zip of pages"
            ),
        },
        "--words": {
            "type": int,
            "default": WIDE_WORDS,
            "help": "of each topic, in the wide form",
        },
    }

    def handle(self, *args, **options):
        run = (
            Run.objects.select_related("corpus", "version", "snapshot")
            .filter(pk=options["run"])
            .first()
        )
        if run is None:
            raise CommandError(f"There is no run {options['run']}.")
        kind_and_ending = find_kind(FILE_FORMATS[options["format"]])
        if kind_and_ending is None:
            raise CommandError("There is no such format.")
        kind, ending = kind_and_ending
        if not kind.is_ready(run):
            raise CommandError(f"Run {run.pk} is {run.status}; it has not stored these results.")
        if not 1 <= options["words"] <= MAX_WORDS:
            raise CommandError(f"--words must be from 1 to {MAX_WORDS}, got {options['words']}.")
        source = read_source(run, QueryDict(f"words={options['words']}"))
        try:
            sys.stdout.buffer.writelines(make_file(source, kind, ending).pieces)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader, such as head, has enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
