"""A class remembers the number of its newest student."""

from django.db import migrations, models

# Of students who were removed before nothing is known
FILL = """
UPDATE webapp_course c SET last_number = s.last
FROM (SELECT course_id, max(number) AS last FROM webapp_student GROUP BY course_id) s
WHERE s.course_id = c.id
"""


class Migration(migrations.Migration):
    dependencies = [("webapp", "0065_sign_on_groups")]
    operations = [
        migrations.AddField(
            "course", "last_number", models.IntegerField(db_default=0, default=0)
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
