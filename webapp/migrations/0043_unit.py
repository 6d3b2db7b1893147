"""Who is independent of whom in a corpus."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0042_text_reader")]

    operations = [migrations.AddField("corpus", "unit", models.TextField(null=True))]
