"""Of topics: whether they are several subjects, by the company that their first words keep."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0042_text_reader")]

    operations = [
        migrations.AddField("topic", "mixed", models.BooleanField(default=False, db_default=False)),
        migrations.AddField("topic", "apart", models.FloatField(null=True)),
        migrations.AddField("topic", "tells", models.FloatField(null=True)),
    ]
