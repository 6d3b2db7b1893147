from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0004_notebooks")]
    operations = [migrations.AddField("run", "versions", models.JSONField(default=dict))]
