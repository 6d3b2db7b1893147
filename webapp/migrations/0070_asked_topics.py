"""Two fields of trainings that a run is compared with are called after what they hold. In the state of the models alone: the
columns keep their names."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0069_stored_results")]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint("replicate", "one_replicate"),
                migrations.RenameField("replicate", "number", "asked_topics"),
                migrations.AlterField(
                    "replicate",
                    "asked_topics",
                    models.IntegerField(default=0, db_default=0, db_column="number"),
                ),
                migrations.RenameField("replicate", "tokens", "result"),
                migrations.AlterField("replicate", "result", models.BinaryField(null=True, db_column="tokens")),
                migrations.AddConstraint(
                    "replicate",
                    models.UniqueConstraint(fields=["run", "seed", "asked_topics"], name="one_replicate"),
                ),
            ]
        )
    ]
