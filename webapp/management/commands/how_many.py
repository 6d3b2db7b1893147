"""manage.py how_many RUN > topics.csv: what fewer and more topics would change, as the run's page says it."""

import sys

from django.core.management.base import CommandError

from webapp.analysis.how_many import page
from webapp.analysis.how_many.shapes import HowManyAsked
from webapp.core.results.view import RunView
from webapp.core.runs import how_many
from webapp.management.base import OwnCommand
from webapp.management.progress import follow_trainings
from webapp.models import Run


class Command(OwnCommand):
    help = (
        "Train a run's texts shortly with a third and three times as many topics, unless that is"
        " done, and say what would change. Writes a row for each topic of each number as CSV."
    )

    arguments = {
        "run": {"type": int, "metavar": "RUN", "help": "its number, as train prints it"},
        "--no-wait": {
            "action": "store_true",
            "help": "queue the trainings and leave; a worker makes them",
        },
    }

    def handle(self, *args, **options):
        runs = Run.objects.select_related("corpus__version", "version__corpus", "snapshot")
        run = runs.filter(pk=options["run"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run']}.")
        how_many.begin(run)
        if options["no_wait"]:
            return
        if how_many.progress(run).to_come:
            follow_trainings(run)
        view = RunView(run)
        answer = page.answer(view)
        table = page.table(view)
        if isinstance(answer, HowManyAsked) or table is None:
            raise CommandError("The short trainings were ended before they were done.")
        for sentence in [answer.sample, *answer.sentences, *answer.changes]:
            if sentence:
                self.stderr.write(sentence)
        sys.stdout.write(table.content().decode())
