"""Who is independent of whom in a corpus."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0043_company")]

    operations = [migrations.AddField("corpus", "unit", models.TextField(null=True))]
