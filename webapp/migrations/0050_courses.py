"""Classes. A notebook gets a column that is null: Postgres writes no row again."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ROLES = [("viewer", "Viewer"), ("trainer", "Trainer"), ("editor", "Editor")]
USER = settings.AUTH_USER_MODEL


class Migration(migrations.Migration):
    dependencies = [("webapp", "0049_phrases")]

    operations = [
        migrations.AddField("user", "most_students", models.IntegerField(null=True)),
        migrations.AlterField("invitation", "role", models.CharField(choices=ROLES, max_length=10)),
        migrations.AlterField("membership", "role", models.CharField(choices=ROLES, max_length=10)),
        migrations.CreateModel(
            "Course",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("token", models.CharField(max_length=43, null=True, unique=True)),
                ("ends_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("corpus", models.ForeignKey("webapp.corpus", django.db.models.deletion.SET_NULL, "courses", null=True)),
                ("owner", models.ForeignKey(USER, django.db.models.deletion.PROTECT, "courses")),
            ],
            {"ordering": ["-id"]},
        ),
        migrations.CreateModel(
            "Student",
            [
                ("user", models.OneToOneField(USER, django.db.models.deletion.CASCADE, primary_key=True, serialize=False)),
                ("number", models.IntegerField()),
                ("name", models.CharField(max_length=60)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                ("seen_at", models.DateTimeField(null=True)),
                ("address", models.TextField(default="")),
                ("course", models.ForeignKey("webapp.course", django.db.models.deletion.PROTECT, "students")),
            ],
            {"ordering": ["number"]},
        ),
        migrations.AddField(
            "notebook",
            "handed_in_by",
            models.ForeignKey("webapp.student", django.db.models.deletion.SET_NULL, "handed_in", null=True),
        ),
        migrations.AddField("notebook", "student", models.CharField(db_default="", default="", max_length=60)),
        migrations.AddConstraint(
            "student", models.UniqueConstraint(fields=["course", "number"], name="one_student_per_number")
        ),
    ]
