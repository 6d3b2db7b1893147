import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0017_runs_begin")]

    operations = [
        migrations.AddField(
            "corpus",
            "into",
            models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="additions", to="webapp.corpus"),
        ),
    ]
