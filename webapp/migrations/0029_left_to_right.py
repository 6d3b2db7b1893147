"""How well the topics of a final snapshot predict documents that were held out, read from left to right."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0028_topics_in_use")]

    operations = [migrations.AddField("snapshot", "left_to_right", models.FloatField(null=True))]
