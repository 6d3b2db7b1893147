from django.db import migrations

# Of a word that stands in most topics some are asked for: by the word alone each of its rows had to be fetched.
NEW = "DROP INDEX topic_word_word; CREATE INDEX topic_word_word ON topic_word (snapshot_id, word, topic);"
OLD = "DROP INDEX topic_word_word; CREATE INDEX topic_word_word ON topic_word (snapshot_id, word);"


class Migration(migrations.Migration):

    dependencies = [
        ("webapp", "0025_offered"),
    ]

    operations = [
        migrations.RunSQL(NEW, OLD),
    ]
