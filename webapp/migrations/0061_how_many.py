"""Short trainings with other numbers of topics are kept beside those with other seeds."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0060_replaces")]
    operations = [
        migrations.AddField("replicate", "number", models.IntegerField(default=0, db_default=0)),
        migrations.RemoveConstraint("replicate", "one_replicate"),
        migrations.AddConstraint(
            "replicate",
            models.UniqueConstraint(fields=["run", "seed", "number"], name="one_replicate"),
        ),
    ]
