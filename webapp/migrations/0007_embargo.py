from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0006_words")]
    operations = [migrations.AddField("corpus", "embargo", models.BooleanField(default=False))]
