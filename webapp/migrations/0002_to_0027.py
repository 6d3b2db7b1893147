"""What came between 0.1.0 and 0.2.0: curation, notebooks, versions of words, accounts. Migrations 0002 to 0027 in one.

Rewrites every document, to compute its digest, and all words, for what is computed of them. Builds an index on topics'
words, on documents' topics and, twice, on words.
"""

import shutil

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Lower

from webapp.models import local_owner

# A version takes the number of its corpus, so the partitions of words keep their names and their rows. Texts are
# searched by an index on disk (inference.index). Words can be found without their accents: normal form D splits "é"
# into a letter and one of the combining marks, U+0300 to U+036F.
LARGE = r"""
CREATE EXTENSION IF NOT EXISTS pg_trgm;
DROP INDEX document_search;
ALTER TABLE document DROP COLUMN search, DROP COLUMN config, ADD COLUMN digest bytea NOT NULL DEFAULT '',
    ADD COLUMN part integer NOT NULL DEFAULT 1, ADD COLUMN parts integer NOT NULL DEFAULT 1,
    ADD COLUMN whole text NOT NULL DEFAULT '';
UPDATE document SET digest = sha256(convert_to(text, 'UTF8'));
ALTER TABLE word RENAME COLUMN corpus_id TO version_id;
ALTER TABLE word ADD COLUMN plain text GENERATED ALWAYS AS (
    regexp_replace(normalize(word, NFD), '[\u0300-\u036F]+', '', 'g')
) STORED;
CREATE INDEX word_plain ON word (version_id, plain text_pattern_ops);
CREATE INDEX word_alike ON word USING gin (plain gin_trgm_ops);
ALTER TABLE topic_word ADD COLUMN tokens bigint NOT NULL DEFAULT 0, ADD COLUMN documents bigint NOT NULL DEFAULT 0;
DROP INDEX topic_word_word;
CREATE INDEX topic_word_word ON topic_word (snapshot_id, word, topic);
ALTER TABLE document_topic RENAME COLUMN weight TO share;
ALTER TABLE document_topic ADD COLUMN tokens integer NOT NULL DEFAULT 0;
CREATE INDEX document_topic_tokens ON document_topic (snapshot_id, topic, tokens DESC, document);
"""
# What was read before is version 1 of its corpus, under the corpus's own number. What is there already belongs to the
# one local owner, whom webapp.models.Users.local finds.
FILL = """
INSERT INTO webapp_version (id, corpus_id, number, status, settings, report, error, documents, tokens, vocabulary,
    created_at, attempt, tries)
SELECT id, id, 1, 'ready', settings - 'options', report, '', documents, tokens, vocabulary, created_at, 0, 0
FROM webapp_corpus WHERE status = 'ready';
SELECT setval(pg_get_serial_sequence('webapp_version', 'id'), (SELECT greatest(max(id), 1) FROM webapp_corpus));
INSERT INTO webapp_user (password, name, is_active, is_staff, local, created_at)
SELECT '!', 'owner', true, true, true, now() WHERE EXISTS (SELECT FROM webapp_corpus);
UPDATE webapp_corpus SET owner_id = (SELECT id FROM webapp_user WHERE local);
UPDATE webapp_corpus SET version_id = id WHERE status = 'ready';
UPDATE webapp_run SET version_id = corpus_id, by_id = (SELECT id FROM webapp_user WHERE local);
UPDATE webapp_sourcefile SET read = true WHERE corpus_id IN (SELECT id FROM webapp_corpus WHERE status = 'ready');
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE webapp_corpus ALTER owner_id SET NOT NULL;
ALTER TABLE webapp_run ALTER version_id SET NOT NULL;
SET CONSTRAINTS ALL DEFERRED;
"""
ROLES = [("viewer", "Viewer"), ("editor", "Editor")]


def move_files(apps, schema_editor):
    for version in apps.get_model("webapp", "Version").objects.all():
        corpus, new = (settings.FILES / kind / str(version.pk) for kind in ("corpora", "versions"))
        for name in ("bow", "columns"):
            if (corpus / name).exists():
                new.mkdir(parents=True, exist_ok=True)
                shutil.move(corpus / name, new / name)


class Migration(migrations.Migration):
    replaces = [
        ("webapp", "0002_curation"),
        ("webapp", "0003_evidence"),
        ("webapp", "0004_notebooks"),
        ("webapp", "0005_versions"),
        ("webapp", "0006_words"),
        ("webapp", "0007_embargo"),
        ("webapp", "0008_reading"),
        ("webapp", "0009_stress"),
        ("webapp", "0010_subsets"),
        ("webapp", "0011_tokens"),
        ("webapp", "0012_without"),
        ("webapp", "0013_corpus_versions"),
        ("webapp", "0014_index"),
        ("webapp", "0015_sections"),
        ("webapp", "0016_files_read"),
        ("webapp", "0017_runs_begin"),
        ("webapp", "0018_added_files"),
        ("webapp", "0019_file_counts"),
        ("webapp", "0020_deleted"),
        ("webapp", "0021_tries"),
        ("webapp", "0022_accounts"),
        ("webapp", "0023_notebook_newest"),
        ("webapp", "0024_arriving"),
        ("webapp", "0025_offered"),
        ("webapp", "0026_words_by_topic"),
        ("webapp", "0027_first"),
    ]
    dependencies = [("webapp", "0001_initial")]
    # Their tables point at that of users.
    run_before = [("account", "0001_initial"), ("mfa", "0001_initial"), ("socialaccount", "0001_initial")]

    operations = [
        migrations.RunSQL(LARGE),
        migrations.CreateModel(
            "User",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                ("email", models.EmailField(max_length=254, null=True, unique=True)),
                ("name", models.CharField(max_length=60)),
                ("is_active", models.BooleanField(default=True)),
                ("is_staff", models.BooleanField(default=False)),
                ("local", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("most_bytes", models.BigIntegerField(null=True)),
                ("most_documents", models.BigIntegerField(null=True)),
                ("most_jobs", models.IntegerField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(Lower("name"), name="one_name"),
                    models.UniqueConstraint(fields=["local"], condition=models.Q(local=True), name="one_local_owner"),
                ]
            },
        ),
        migrations.CreateModel(
            "Version",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("corpus", models.ForeignKey("webapp.corpus", models.CASCADE, related_name="versions")),
                ("number", models.IntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[(name, name.title()) for name in ("queued", "choosing", "ready", "failed")],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("settings", models.JSONField(default=dict)),
                ("report", models.JSONField(default=dict)),
                ("error", models.TextField(default="")),
                ("documents", models.BigIntegerField(default=0)),
                ("tokens", models.BigIntegerField(default=0)),
                ("vocabulary", models.BigIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("attempt", models.IntegerField(default=0)),
                ("tries", models.IntegerField(default=0)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("deleted_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=["corpus", "number"], name="one_version_per_number")],
                "indexes": [models.Index(fields=["status", "heartbeat_at"], name="version_status")],
            },
        ),
        *(
            migrations.AddField(model, name, field)
            for model, name, field in (
                (
                    "corpus",
                    "owner",
                    models.ForeignKey("webapp.user", models.PROTECT, null=True, related_name="corpora"),
                ),
                ("corpus", "offered", models.ForeignKey("webapp.user", models.SET_NULL, null=True, related_name="+")),
                ("corpus", "public", models.BooleanField(default=False)),
                ("corpus", "embargo", models.BooleanField(default=False)),
                (
                    "corpus",
                    "version",
                    models.OneToOneField("webapp.version", models.SET_NULL, null=True, related_name="+"),
                ),
                (
                    "corpus",
                    "parent",
                    models.ForeignKey("webapp.corpus", models.SET_NULL, null=True, related_name="parts"),
                ),
                (
                    "corpus",
                    "into",
                    models.ForeignKey("webapp.corpus", models.CASCADE, null=True, related_name="additions"),
                ),
                ("corpus", "provenance", models.JSONField(default=dict)),
                ("corpus", "progress", models.JSONField(default=dict)),
                ("corpus", "arriving", models.JSONField(default=dict)),
                ("corpus", "tries", models.IntegerField(default=0)),
                ("corpus", "deleted_at", models.DateTimeField(null=True)),
                ("sourcefile", "error", models.TextField(default="")),
                ("sourcefile", "read", models.BooleanField(default=False)),
                ("sourcefile", "items", models.BigIntegerField(default=0)),
                ("sourcefile", "first", models.BigIntegerField(null=True)),
                ("sourcefile", "documents", models.BigIntegerField(default=0)),
                ("sourcefile", "problems", models.BigIntegerField(default=0)),
                ("sourcefile", "encoding", models.CharField(default="", max_length=40)),
                (
                    "run",
                    "version",
                    models.ForeignKey("webapp.version", models.RESTRICT, null=True, related_name="runs"),
                ),
                ("run", "by", models.ForeignKey("webapp.user", models.SET_NULL, null=True, related_name="+")),
                ("run", "parent", models.ForeignKey("webapp.run", models.SET_NULL, null=True, related_name="children")),
                ("run", "begins", models.BooleanField(default=False)),
                ("run", "dropped", ArrayField(models.TextField(), default=list)),
                ("run", "versions", models.JSONField(default=dict)),
                ("run", "tries", models.IntegerField(default=0)),
                ("run", "deleted_at", models.DateTimeField(null=True)),
                ("snapshot", "stress", models.FloatField(null=True)),
                *(("topic", name, models.BigIntegerField(null=True)) for name in ("tokens", "documents")),
                *(
                    ("topic", name, models.FloatField(null=True))
                    for name in (
                        "npmi",
                        "exclusivity",
                        "effective_words",
                        "document_entropy",
                        "rank_1_documents",
                        "uniform_distance",
                        "corpus_distance",
                        "x",
                        "y",
                    )
                ),
                ("topic", "similar", models.JSONField(default=list)),
                ("topic", "beside", models.JSONField(default=list)),
            )
        ),
        migrations.RunSQL(
            FILL,
            state_operations=[
                migrations.AlterField(
                    "corpus",
                    "owner",
                    models.ForeignKey("webapp.user", models.PROTECT, default=local_owner, related_name="corpora"),
                ),
                migrations.AlterField(
                    "run", "version", models.ForeignKey("webapp.version", models.RESTRICT, related_name="runs")
                ),
            ],
        ),
        migrations.RunPython(move_files),
        *(migrations.RemoveField("corpus", name) for name in ("documents", "tokens", "vocabulary")),
        *(
            migrations.AddIndex(model, models.Index(fields=fields, name=name, condition=condition))
            for model, fields, name, condition in (
                ("corpus", ["owner", "-id"], "corpus_owner", None),
                ("corpus", ["-id"], "corpus_public", models.Q(public=True)),
                ("corpus", ["-deleted_at", "-id"], "corpus_deleted", models.Q(deleted_at__isnull=False)),
                ("run", ["-deleted_at", "-id"], "run_deleted", models.Q(deleted_at__isnull=False)),
                ("run", ["by", "status"], "run_by", None),
            )
        ),
        migrations.CreateModel(
            "Edit",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("run", models.ForeignKey("webapp.run", models.CASCADE, related_name="edits")),
                ("topic", models.IntegerField()),
                (
                    "field",
                    models.CharField(
                        choices=[
                            (name, name.title()) for name in ("label", "note", "colour", "hidden", "group", "into")
                        ],
                        max_length=10,
                    ),
                ),
                ("value", models.TextField(blank=True)),
                ("batch", models.UUIDField()),
                ("by", models.CharField(max_length=60)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("undone_at", models.DateTimeField(null=True)),
                ("undone_by", models.CharField(default="", max_length=60)),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["run", "topic", "field", "-id"], condition=models.Q(undone_at=None), name="edit_overlay"
                    ),
                    models.Index(fields=["run", "-id"], name="edit_history"),
                    models.Index(fields=["batch"], name="edit_batch"),
                ]
            },
        ),
        migrations.CreateModel(
            "Notebook",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.ForeignKey("webapp.user", models.CASCADE, default=local_owner, related_name="notebooks"),
                ),
                ("title", models.CharField(max_length=200)),
                ("intro", models.TextField(default="")),
                ("by", models.CharField(max_length=60)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("used_at", models.DateTimeField(auto_now_add=True)),
                ("token", models.CharField(max_length=43, null=True, unique=True)),
                ("removed_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["owner", "-used_at", "-id"], name="notebook_used"),
                    models.Index(fields=["owner", "-id"], name="notebook_owner"),
                    models.Index(fields=["-used_at", "-id"], name="notebook_newest"),
                ]
            },
        ),
        migrations.CreateModel(
            "Pin",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("notebook", models.ForeignKey("webapp.notebook", models.CASCADE, related_name="pins")),
                ("position", models.IntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[(name, name.title()) for name in ("topic", "passage", "chart")], max_length=10
                    ),
                ),
                ("title", models.TextField()),
                ("address", models.TextField()),
                ("quote", models.TextField(default="")),
                ("start", models.BigIntegerField(null=True)),
                ("end", models.BigIntegerField(null=True)),
                ("sentence", models.TextField(default="")),
                ("table", models.JSONField(null=True)),
                ("source", models.JSONField(default=dict)),
                ("comment", models.TextField(default="")),
                ("by", models.CharField(max_length=60)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("removed_at", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["position", "id"],
                "indexes": [models.Index(fields=["notebook", "position", "id"], name="pin_order")],
            },
        ),
        migrations.CreateModel(
            "Answer",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("run", models.ForeignKey("webapp.run", models.CASCADE, related_name="answers")),
                ("reader", models.CharField(max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[(name, name.title()) for name in ("label", "fit", "words", "topics")], max_length=10
                    ),
                ),
                ("topic", models.IntegerField()),
                ("seed", models.BigIntegerField()),
                ("item", models.IntegerField(default=0)),
                ("payload", models.JSONField()),
                ("at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["run", "topic", "kind", "seed", "reader", "item"], name="one_answer"
                    )
                ]
            },
        ),
        migrations.CreateModel(
            "ApiToken",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user", models.ForeignKey("webapp.user", models.CASCADE, default=local_owner, related_name="tokens")),
                ("name", models.CharField(max_length=60)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("used_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
            ],
            options={"ordering": ["-id"]},
        ),
        migrations.CreateModel(
            "Membership",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("corpus", models.ForeignKey("webapp.corpus", models.CASCADE, related_name="memberships")),
                ("user", models.ForeignKey("webapp.user", models.CASCADE, related_name="memberships")),
                ("role", models.CharField(choices=ROLES, max_length=10)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "indexes": [models.Index(fields=["user", "-corpus"], name="membership_user")],
                "constraints": [models.UniqueConstraint(fields=["corpus", "user"], name="one_role")],
            },
        ),
        migrations.CreateModel(
            "Invitation",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("corpus", models.ForeignKey("webapp.corpus", models.CASCADE, related_name="invitations")),
                ("by", models.ForeignKey("webapp.user", models.CASCADE, related_name="+")),
                ("email", models.EmailField(max_length=254)),
                ("role", models.CharField(choices=ROLES, max_length=10)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "indexes": [models.Index(fields=["email"], name="invitation_email")],
                "constraints": [models.UniqueConstraint(fields=["corpus", "email"], name="one_invitation")],
            },
        ),
        migrations.CreateModel(
            "Link",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("corpus", models.ForeignKey("webapp.corpus", models.CASCADE, related_name="links")),
                ("by", models.ForeignKey("webapp.user", models.CASCADE, related_name="+")),
                ("name", models.CharField(blank=True, max_length=60)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                ("used_at", models.DateTimeField(null=True)),
            ],
            options={"ordering": ["-id"]},
        ),
    ]
