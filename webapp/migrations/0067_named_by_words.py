"""A run whose names could not be made from its texts remembers that."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0066_student_numbers")]
    operations = [
        migrations.AddField(
            "snapshot", "named_by_words", models.BooleanField(db_default=False, default=False)
        ),
    ]
