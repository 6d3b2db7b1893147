"""Phrases of topics."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0048_codebook")]

    operations = [migrations.AddField("topic", "phrases", models.JSONField(null=True))]
