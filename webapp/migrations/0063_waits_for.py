"""A job's `error` says why it failed, and nothing else: what a queued job waits for, and what is
said of a run that trains, get columns of their own.

A job that waits when the program is upgraded keeps its reason.
"""

from django.db import migrations, models

JOBS = (
    "codefile",
    "comparison",
    "corpus",
    "export",
    "replicate",
    "run",
    "upload",
    "version",
)
# The sentences as programs up to 0062 wrote them into `error`
WAITING = """
UPDATE webapp_{job} SET waits_for = 'disk', error = ''
WHERE status = 'queued' AND error LIKE 'The server’s disk is full.%';
UPDATE webapp_{job} SET waits_for = 'store', error = ''
WHERE status = 'queued' AND error LIKE 'The store of this server’s files does not answer.%';
"""
COMPILING = """
UPDATE webapp_run SET notice = error, error = ''
WHERE status IN ('queued', 'running') AND error LIKE 'The engine is being compiled,%';
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0062_pseudonyms")]
    operations = [
        *(
            migrations.AddField(
                job, "waits_for", models.CharField(db_default="", default="", max_length=5)
            )
            for job in JOBS
        ),
        migrations.AddField("run", "notice", models.TextField(db_default="", default="")),
        *(migrations.RunSQL(WAITING.format(job=job)) for job in JOBS),
        migrations.RunSQL(COMPILING),
    ]
