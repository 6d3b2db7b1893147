"""Runs of before minibatches grew after the warm-up say that theirs do not."""

from django.db import migrations

FILL = """
    UPDATE webapp_run SET settings = settings || jsonb_build_object('minibatch_after', settings -> 'minibatch')
    WHERE engine = 'ssi' AND settings ? 'minibatch' AND NOT settings ? 'minibatch_after'"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0035_objective")]

    operations = [migrations.RunSQL(FILL, migrations.RunSQL.noop)]
