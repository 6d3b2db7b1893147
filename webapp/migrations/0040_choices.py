"""What is chosen on the page that says how files are read is kept as it is chosen."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0039_upload")]
    operations = [migrations.AddField("upload", "choices", models.JSONField(null=True))]
