"""Whoever has an account can delete it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0056_embed_sites")]
    operations = [migrations.AddField("user", "leaving_at", models.DateTimeField(null=True))]
