"""manage.py train CORPUS --topics K …: train as the pages do. The last line is the run's number."""

from django.core.management.base import BaseCommand, CommandError

from inference import engines
from inference.errors import Invalid
from webapp.management.following import follow, prepare_database, worker_if_none
from webapp.models import Corpus, Run
from webapp.runs import services as runs

OVER = {Run.Status.DONE, Run.Status.FAILED, Run.Status.CANCELLED}


class Command(BaseCommand):
    help = "Train a topic model on a corpus and wait until it is stored; prints the run's number last."

    def add_arguments(self, parser):
        parser.add_argument("corpus", type=int, metavar="CORPUS", help="its number, as import_corpus prints it")
        parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same topics (default: 0)")
        for field in engines.fields("ssi"):
            help_text = (
                f"{field.help} (default: {'chosen from the corpus' if field.default is None else field.default})"
            )
            option = f"--{field.name.replace('_', '-')}"
            parser.add_argument(
                option,
                type=field.type,
                dest=field.name,
                choices=field.choices or None,
                help=help_text.replace("%", "%%"),
            )
        parser.add_argument("--no-wait", action="store_true", help="print the number and leave; a worker trains on")

    def handle(self, *args, **given):
        prepare_database()
        try:
            corpus = Corpus.objects.get(pk=given["corpus"])
        except Corpus.DoesNotExist:
            raise CommandError(f"There is no corpus {given['corpus']}.") from None
        settings = {f.name: given[f.name] for f in engines.fields("ssi") if given[f.name] is not None}
        try:
            run = runs.create(corpus.version, seed=given["seed"], **settings)
        except Invalid as error:
            raise CommandError(error.message) from None
        if not given["no_wait"]:
            with worker_if_none():
                follow(
                    run,
                    OVER,
                    lambda r: r.step / max(1, r.steps),
                    lambda r: f"{r.tokens_seen:,} words in {r.seconds:.0f} s",
                )
            if run.status == Run.Status.CANCELLED:
                raise CommandError(f"Run {run.pk} was cancelled.")
        self.stdout.write(str(run.pk))
