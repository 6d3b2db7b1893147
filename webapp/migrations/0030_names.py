"""What topics are called until a reader names them, and which of them are general talk."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0029_left_to_right")]

    operations = [
        migrations.AddField("topic", "name", models.TextField(default="", db_default="")),
        migrations.AddField("topic", "background", models.BooleanField(default=False, db_default=False)),
    ]
