"""The fields whose texts are alike are stored with a version."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0054_naming")]
    operations = [migrations.AddField("version", "unit_fields", models.JSONField(null=True))]
