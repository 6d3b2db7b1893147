"""A run that begins with another's topics may do so on more documents, and not only without some words."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0016_files_read")]

    operations = [
        migrations.AddField("run", "begins", models.BooleanField(default=False)),
        migrations.RunSQL("UPDATE webapp_run SET begins = true WHERE dropped <> '{}'", migrations.RunSQL.noop),
    ]
