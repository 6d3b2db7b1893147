"""The owner of a corpus says which sites may show its charts in a frame."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0055_unit_fields")]
    operations = [migrations.AddField("corpus", "embed_sites", models.JSONField(default=list))]
