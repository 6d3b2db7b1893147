"""Which topics a model uses that finds how many there are, and how many these are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0027_first")]

    operations = [
        migrations.AddField("topic", "used", models.BooleanField(db_default=True)),
        migrations.AddField("run", "in_use", models.IntegerField(null=True)),
    ]
