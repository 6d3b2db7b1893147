"""What was changed of the parent's topics before a run began with them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0032_forming")]

    operations = [migrations.AddField("run", "steering", models.JSONField(default=dict, db_default={}))]
