"""Of an uploaded file the number of its first document, so that its documents can be shown."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0026_words_by_topic")]

    operations = [migrations.AddField("sourcefile", "first", models.BigIntegerField(null=True))]
