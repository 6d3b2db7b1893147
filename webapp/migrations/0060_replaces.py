"""A corpus may be made again without some documents, and take the place of the old one."""

from django.db import migrations, models
from django.db.models import SET_NULL


class Migration(migrations.Migration):
    dependencies = [("webapp", "0059_readings")]
    operations = [
        migrations.AddField(
            "corpus",
            "replaces",
            models.ForeignKey("webapp.corpus", SET_NULL, null=True, related_name="+"),
        )
    ]
