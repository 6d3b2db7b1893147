"""Changes nothing: a database that has had some of 0028 to 0050, and not all, stops here (webapp.platform.local.migrations)."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("webapp", "0050_courses")]
