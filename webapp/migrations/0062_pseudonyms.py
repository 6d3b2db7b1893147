"""A draft may be made of another one, with pseudonyms in the place of persons."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0061_how_many")]
    operations = [migrations.AddField("upload", "pseudonyms", models.JSONField(null=True))]
