"""Groups of the provider of single sign-on: who was in them at the last sign-in, and what they may do
with a corpus."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ROLES = [("viewer", "Viewer"), ("trainer", "Trainer"), ("editor", "Editor")]
BIG = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    dependencies = [("webapp", "0064_noun_phrases")]
    operations = [
        migrations.CreateModel(
            "SignOnGroup",
            [("id", BIG.clone()), ("name", models.CharField(max_length=255, unique=True))],
        ),
        migrations.CreateModel(
            "GroupMember",
            [
                ("id", BIG.clone()),
                ("seen_at", models.DateTimeField()),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="webapp.signongroup",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_on_groups",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["user", "group"], name="once_in_a_group")
                ]
            },
        ),
        migrations.CreateModel(
            "GroupRole",
            [
                ("id", BIG.clone()),
                ("role", models.CharField(choices=ROLES, max_length=10)),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="group_roles",
                        to="webapp.corpus",
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="roles",
                        to="webapp.signongroup",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["corpus", "group"], name="one_role_of_a_group"
                    )
                ]
            },
        ),
    ]
