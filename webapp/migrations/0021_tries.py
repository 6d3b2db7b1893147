"""How often a job was begun since it last came further: what a sweep gives up by. `attempt` alone goes on rising."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0020_deleted")]

    operations = [migrations.AddField(model, "tries", models.IntegerField(default=0)) for model in ("corpus", "version", "run")]
