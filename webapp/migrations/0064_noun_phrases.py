"""Of each topic the noun phrases that its family may be called by. Old runs get them with new names,
in the background, when their overview is opened."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0063_waits_for")]
    operations = [migrations.AddField("topic", "noun_phrases", models.JSONField(null=True))]
