from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0018_added_files")]

    operations = [
        migrations.AddField("sourcefile", "documents", models.BigIntegerField(default=0)),
        migrations.AddField("sourcefile", "problems", models.BigIntegerField(default=0)),
        migrations.AddField("sourcefile", "encoding", models.CharField(default="", max_length=40)),
    ]
