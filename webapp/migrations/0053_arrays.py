"""Words that set two sets apart are stored where a worker counts them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0052_beside")]
    operations = [migrations.AddField("findings", "arrays", models.BinaryField(null=True))]
