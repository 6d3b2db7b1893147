"""Fields of a corpus are called after what they hold."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("webapp", "0070_asked_topics")]
    operations = [
        migrations.RenameField("corpus", "offered", "offered_to"),
        migrations.RenameField("corpus", "trains", "train_settings"),
        migrations.RenameField("corpus", "into", "added_to"),
    ]
