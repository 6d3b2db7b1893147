"""Files that have come and are still to be stored: what a worker goes on with."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0023_notebook_newest")]

    operations = [migrations.AddField("corpus", "arriving", models.JSONField(default=dict))]
