"""manage.py train CORPUS --topics K …: train as the pages do. The last line is the run's number."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from inference import engines
from inference.engines.settings import Setting
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.named_topics import StoredTopic
from webapp.core.asked_training.schema import AskedTraining
from webapp.core.runs import services as runs
from webapp.management.base import OwnCommand
from webapp.management.progress import follow, follow_reading
from webapp.models import Corpus, Run
from webapp.service.corpora import languages

OVER: set[str] = {Run.Status.DONE, Run.Status.FAILED, Run.Status.CANCELLED}


UNKNOWN = "unknown options"  # no option has this name
_ENGINES = "; ".join(f"{name}: {engine.ABOUT.help}" for name, engine in engines.ENGINES.items())


class Command(OwnCommand):
    help = (
        "Train a topic model on a corpus and wait until it is stored; prints the run's number last."
    )

    arguments = {
        "corpus": {
            "type": int,
            "metavar": "CORPUS",
            "help": "its number, as import_corpus prints it",
        },
        "--seed": {
            "default": "",
            "help": "the same seed gives the same topics (default: 0)",
        },
        "--engine": {
            "default": engines.DEFAULT,
            "help": f"what trains (default: {engines.DEFAULT}): {_ENGINES}".replace("%", "%%"),
        },
        "--seeds": {
            "metavar": "FILE",
            "help": "topics to name beforehand: of each a line with its name, a colon, and three to"
            " twenty words or phrases with commas between them",
        },
        "--each-language": {
            "action": "store_true",
            "help": "train one run in each language of the texts, on a corpus of its own; prints"
            " language and number of each",
        },
        "--no-wait": {
            "action": "store_true",
            "help": "print the number and leave; a worker trains on",
        },
    }

    def create_parser(self, *args: Any, **options: Any) -> CommandParser:
        """One that leaves unknown options to the schema of trainings."""
        parser = super().create_parser(*args, **options)
        parser.__class__ = _Parser
        return parser

    def add_arguments(self, parser):
        """Numbers come as they are written: the schema of trainings reads them."""
        super().add_arguments(parser)
        for name, of_engines in _settings().items():
            choices = [choice for setting in of_engines.values() for choice in setting.choices]
            helps = [f"[{engine}] {_help(setting)}" for engine, setting in of_engines.items()]
            parser.add_argument(
                f"--{name.replace('_', '-')}",
                dest=name,
                metavar="|".join(dict.fromkeys(choices)) or "NUMBER",  # each once
                help=" ".join(helps).replace("%", "%%"),
            )

    def handle(self, *args, **options):
        corpus = Corpus.objects.filter(pk=options["corpus"]).first()
        if corpus is None:
            raise CommandError(f"There is no corpus {options['corpus']}.")
        names = ("seed", "engine", *_settings())
        texts = {name: str(options[name]) for name in names if options[name] is not None}
        training = AskedTraining.of_texts(
            texts | options.get(UNKNOWN, {}), seeds=_read_named_topics(options["seeds"])
        )
        if options["each_language"]:
            self._train_each(corpus, training, waits=not options["no_wait"])
            return
        run = runs.create(corpus.version, **training.settings_of_run())
        if not options["no_wait"]:
            _follow(run)
        self.stdout.write(str(run.pk))

    def _train_each(self, corpus: Corpus, training: AskedTraining, *, waits: bool) -> None:
        """A line for each language: its code, then its run's number, or its corpus's without
        waiting."""
        if training.seeds:
            raise CommandError("--seeds are words of one language; train each corpus by itself.")
        settings = training.settings_of_run()
        trains = settings["engine_settings"] | {
            name: settings[name] for name in ("topics", "engine", "seed", "consensus")
        }
        for part in languages.train_each(corpus, None, trains):
            number = part.pk
            if waits:
                follow_reading(part)
                run = part.runs.order_by("-pk").first()
                if run is None:
                    raise CommandError(f"No run could be made of “{part.name}”.")
                _follow(run)
                number = run.pk
            self.stdout.write(f"{part.provenance[languages.MARK]} {number}")


def _follow(run: Run) -> None:
    """Wait until a run is over. Raises CommandError where it ended without topics."""
    follow(run, OVER, _share_done, _describe_progress)
    if run.status == Run.Status.CANCELLED:
        raise CommandError(f"Run {run.pk} was cancelled.")


def _share_done(run: Run) -> float:
    return run.step / max(1, run.steps)


def _describe_progress(run: Run) -> str:
    return f"{run.tokens_seen:,} words in {run.seconds:.0f} s"


class _Parser(CommandParser):
    """Options that are unknown are kept as UNKNOWN, each by its name with its value: the schema of
    trainings refuses them. (Django always makes a CommandParser, and has no way to name another.)
    """

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        parsed, unknown_parts = self.parse_known_args(args, namespace)
        unknown: dict[str, str] = {}
        name = ""
        for part in unknown_parts:
            if part.startswith("--"):
                name, _, value = part.removeprefix("--").partition("=")
                unknown[name.replace("-", "_")] = value or "given"
            elif name:
                unknown[name.replace("-", "_")] = part
                name = ""
            else:
                self.error(f"unrecognized arguments: {' '.join(unknown_parts)}")
        setattr(parsed, UNKNOWN, unknown)
        return parsed


def _read_named_topics(path: str | None) -> list[StoredTopic]:
    """The topics of a file. Raises CommandError where it can't be read, Invalid for what is no
    topic."""
    if path is None:
        return []
    try:
        return named_topics.read_lines(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} can't be read: {error}.") from error


def _settings() -> dict[str, dict[str, Setting]]:
    """The settings of all engines, by the setting's name and the engine's. Which of them the chosen
    one has is checked when the run is made."""
    settings: dict[str, dict[str, Setting]] = {}
    for engine in engines.ENGINES:
        for setting in engines.fields(engine):
            settings.setdefault(setting.name, {})[engine] = setting
    return settings


def _help(setting: Setting) -> str:
    default = "chosen from the corpus" if setting.default is None else setting.default
    return f"{setting.help} (default: {default})"
