from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0010_subsets")]
    operations = [
        migrations.CreateModel(
            "ApiToken",
            [
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=60)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("used_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
            ],
            options={"ordering": ["-id"]},
        )
    ]
