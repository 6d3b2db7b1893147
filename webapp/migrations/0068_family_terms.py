"""Of each topic the nouns and noun phrases that its family may be called by, in place of the noun
phrases alone. Old runs get them with new names, in the background, when their overview is opened."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0067_named_by_words")]
    operations = [
        migrations.AddField("topic", "family_terms", models.JSONField(null=True)),
        migrations.RemoveField("topic", "noun_phrases"),
    ]
