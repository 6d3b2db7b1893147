"""Who is independent of whom in a corpus."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0041_text_shown")]

    operations = [migrations.AddField("corpus", "unit", models.TextField(null=True))]
