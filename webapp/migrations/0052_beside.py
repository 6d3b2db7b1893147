"""A reader can move a topic to the family of another. No table changes."""

from django.db import migrations, models

FIELDS = ("label", "note", "colour", "hidden", "group", "into", "beside")


class Migration(migrations.Migration):
    dependencies = [("webapp", "0051_complete")]
    operations = [
        migrations.AlterField(
            "edit", "field", models.CharField(max_length=10, choices=[(name, name.title()) for name in FIELDS])
        )
    ]
