"""Where a corpus that is a part of another came from."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0009_stress")]
    operations = [
        migrations.AddField(
            "corpus", "parent",
            models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="parts", to="webapp.corpus"),
        ),
        migrations.AddField("corpus", "provenance", models.JSONField(default=dict)),
    ]
