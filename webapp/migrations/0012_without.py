from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0011_tokens")]
    operations = [
        migrations.AddField("run", "parent", models.ForeignKey("webapp.run", models.SET_NULL, null=True, related_name="children")),
        migrations.AddField("run", "dropped", ArrayField(models.TextField(), default=list)),
    ]
