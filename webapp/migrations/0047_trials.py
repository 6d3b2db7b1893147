"""Trainings on other texts than a run's own, of which the tokens of topics by document are kept."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0046_replicates")]

    operations = [
        migrations.AddField(
            "replicate",
            "texts",
            models.CharField(
                choices=[(name, name.title()) for name in ("own", "drawn", "half")], default="own", max_length=5
            ),
        ),
        migrations.AddField("replicate", "tokens", models.BinaryField(null=True)),
    ]
