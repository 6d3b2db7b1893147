"""How faithful a map of topics is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0008_reading")]

    operations = [migrations.AddField("snapshot", "stress", models.FloatField(null=True))]
