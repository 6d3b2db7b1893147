"""How topics form, to be replayed; and whether a run is trained as soon as a corpus has been read."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0031_findings")]

    operations = [
        migrations.AddField("corpus", "trains", models.JSONField(null=True)),
        migrations.CreateModel(
            name="FormingStep",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run_id", "step", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("step", models.BigIntegerField()),
                ("topics", models.JSONField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="forming", to="webapp.run"
                    ),
                ),
            ],
            options={"ordering": ["step"]},
        ),
    ]
