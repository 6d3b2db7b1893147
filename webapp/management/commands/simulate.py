"""manage.py simulate: make texts from known topics, as a corpus or as a CSV. The last line is the
corpus's number, or the file's name."""

from dataclasses import fields
from pathlib import Path

from django.core.management.base import CommandError

from webapp.core.simulate import services, truth
from webapp.core.simulate.asked_texts import AskedTexts
from webapp.management.base import OwnCommand
from webapp.management.progress import follow_reading

DEFAULT = truth.MadeSettings()
HELP = {
    "documents": "documents M",
    "topics": "known topics K",
    "vocabulary": "different words V",
    "length": "mean number of words of a document, xi of a Poisson distribution",
    "alpha": "mean of the topics' alpha",
    "eta": "prior of each word in a topic",
    "seed": "the same seed and settings give the same texts",
}


def _describe_setting(name: str) -> dict[str, str]:
    """The default and the help of its option."""
    return {
        "default": str(getattr(DEFAULT, name)),
        "help": f"{HELP[name]} (default: %(default)s)",
    }


class Command(OwnCommand):
    help = (
        "Make texts from known topics, as LDA assumes them, and keep the topics: a run on them then"
        " has a page that shows its topics beside the true ones. Makes a corpus, or with --csv a"
        " file and beside it FILE.truth.npz."
    )

    arguments = {
        **{f"--{name}": _describe_setting(name) for name in HELP},
        "--same-alpha": {
            "action": "store_false",
            "dest": "varied",
            "help": (
                "all topics have the same alpha; by default each is drawn from a Gamma distribution"
                " with shape 2"
            ),
        },
        "--csv": {
            "type": Path,
            "metavar": "FILE",
            "help": "write a file instead of making a corpus",
        },
        "--name": {"default": "", "help": "of the corpus"},
        "--no-wait": {
            "action": "store_true",
            "help": "print the number and leave; a worker reads on",
        },
    }

    def handle(self, *args, **options):
        texts = {field.name: options[field.name] for field in fields(truth.MadeSettings)}
        design = AskedTexts.of_texts(texts).settings()
        if options["csv"]:
            self._write(options["csv"], design)
            self.stdout.write(str(options["csv"]))
            return
        corpus = services.create(design, name=options["name"])
        if not options["no_wait"]:
            follow_reading(corpus)
        self.stdout.write(str(corpus.pk))

    def _write(self, path: Path, made_settings: truth.MadeSettings) -> None:
        bow, truth_made = services.draw(made_settings)
        try:
            services.write_csv(path, bow, truth_made)
            truth.write_file(path.with_name(path.name + ".truth.npz"), truth_made)
        except OSError as error:
            raise CommandError(f"{path} can't be written: {error.strerror}.") from None
