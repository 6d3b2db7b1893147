"""What a training itself raises, measured while it goes on."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0034_no_document_topic")]

    operations = [migrations.AddField("metric", "objective", models.FloatField(null=True))]
