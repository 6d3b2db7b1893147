"""What came between 0.2.0 and 0.3.0: findings, jobs of their own, files in a store, embargo of each text, the codebook,
classes. Migrations 0028 to 0050 in one, but for the two that can't be done in one transaction.
"""

from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Lower

# Runs of before minibatches grew after the warm-up say that theirs do not. Uploads have a table: a corpus of which
# files were being stored, or looked into, was queued, at work or failed; that is its upload's status from now on, and
# the corpus is a draft until it is read. What was at work is queued: nobody works during a migration.
CARRY_OVER = """
UPDATE webapp_run SET settings = settings || jsonb_build_object('minibatch_after', settings -> 'minibatch')
WHERE engine = 'ssi' AND settings ? 'minibatch' AND NOT settings ? 'minibatch_after';
INSERT INTO webapp_upload (corpus_id, status, named, checkpoint, question, position, error, created_at, attempt, tries,
    heartbeat_at, deleted_at)
SELECT id,
    CASE WHEN arriving = '{}' THEN 'stored' WHEN arriving ? 'first' THEN 'joining' WHEN status = 'failed' THEN 'failed'
        ELSE 'queued' END,
    coalesce((arriving ->> 'named')::boolean, true),
    CASE WHEN arriving ? 'first' THEN arriving -> 'mark' WHEN arriving ? 'looking' THEN '{}' ELSE arriving END
        - 'of' - 'named',
    arriving -> 'looking',
    (arriving ->> 'first')::integer,
    CASE WHEN arriving = '{}' THEN '' ELSE error END,
    created_at, attempt, CASE WHEN arriving = '{}' THEN 0 ELSE tries END, heartbeat_at, deleted_at
FROM webapp_corpus WHERE provenance = '{}';
UPDATE webapp_corpus SET status = 'draft', error = '', tries = 0, bytes_read = 0 WHERE arriving <> '{}';
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""
# Of texts under an embargo: which of their characters were shown, and to whom; and of how many texts something was.
SHOWN = """
CREATE TABLE text_shown (
    reader varchar(30) NOT NULL,
    digest bytea NOT NULL,
    corpus_id bigint NOT NULL,
    shown int4multirange NOT NULL DEFAULT '{}',
    used_up boolean NOT NULL DEFAULT false,
    PRIMARY KEY (reader, digest)
);
CREATE INDEX text_shown_of_corpus ON text_shown (corpus_id, reader);
CREATE TABLE text_reader (
    corpus_id bigint NOT NULL,
    reader varchar(30) NOT NULL,
    texts bigint NOT NULL,
    used_up bigint NOT NULL,
    PRIMARY KEY (corpus_id, reader)
);
"""


ROLES = [("viewer", "Viewer"), ("trainer", "Trainer"), ("editor", "Editor")]
USER = settings.AUTH_USER_MODEL


def key() -> tuple:
    """The field that numbers a table's rows."""
    return "id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def job(*statuses: str) -> list:
    """The fields that every job has."""
    return [
        (
            "status",
            models.CharField(choices=[(name, name.title()) for name in statuses], default="queued", max_length=10),
        ),
        ("error", models.TextField(default="")),
        ("created_at", models.DateTimeField(auto_now_add=True)),
        ("attempt", models.IntegerField(default=0)),
        ("tries", models.IntegerField(default=0)),
        ("heartbeat_at", models.DateTimeField(null=True)),
    ]


class Migration(migrations.Migration):
    replaces = [
        ("webapp", "0028_topics_in_use"),
        ("webapp", "0029_left_to_right"),
        ("webapp", "0030_names"),
        ("webapp", "0031_findings"),
        ("webapp", "0032_forming"),
        ("webapp", "0033_steering"),
        ("webapp", "0035_objective"),
        ("webapp", "0036_minibatch_after"),
        ("webapp", "0037_sealed"),
        ("webapp", "0038_work"),
        ("webapp", "0039_upload"),
        ("webapp", "0040_choices"),
        ("webapp", "0041_text_shown"),
        ("webapp", "0042_text_reader"),
        ("webapp", "0043_company"),
        ("webapp", "0044_unit"),
        ("webapp", "0045_readers_together"),
        ("webapp", "0046_replicates"),
        ("webapp", "0047_trials"),
        ("webapp", "0048_codebook"),
        ("webapp", "0049_phrases"),
        ("webapp", "0050_courses"),
    ]
    dependencies = [("webapp", "0038_groups")]

    operations = [
        *(
            migrations.AddField(model, name, field)
            for model, name, field in (
                ("topic", "used", models.BooleanField(db_default=True)),
                ("topic", "name", models.TextField(default="", db_default="")),
                ("topic", "background", models.BooleanField(default=False, db_default=False)),
                ("topic", "mixed", models.BooleanField(default=False, db_default=False)),
                ("topic", "apart", models.FloatField(null=True)),
                ("topic", "tells", models.FloatField(null=True)),
                ("topic", "phrases", models.JSONField(null=True)),
                ("run", "in_use", models.IntegerField(null=True)),
                ("run", "steering", models.JSONField(default=dict, db_default={})),
                ("snapshot", "left_to_right", models.FloatField(null=True)),
                ("snapshot", "replicates", models.IntegerField(null=True)),
                ("metric", "objective", models.FloatField(null=True)),
                ("corpus", "trains", models.JSONField(null=True)),
                ("corpus", "unit", models.TextField(null=True)),
                ("user", "most_students", models.IntegerField(null=True)),
                ("notebook", "student", models.CharField(db_default="", default="", max_length=60)),
            )
        ),
        migrations.CreateModel(
            "Findings",
            [
                key(),
                ("snapshot", models.ForeignKey("webapp.snapshot", models.CASCADE, related_name="findings")),
                ("key", models.CharField(blank=True, max_length=64)),
                ("method", models.IntegerField()),
                ("data", models.JSONField()),
                ("made_at", models.DateTimeField(auto_now=True)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=["snapshot", "key"], name="one_findings")]},
        ),
        migrations.CreateModel(
            "FormingStep",
            [
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run_id", "step", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("run", models.ForeignKey("webapp.run", models.CASCADE, related_name="forming")),
                ("step", models.BigIntegerField()),
                ("topics", models.JSONField()),
            ],
            options={"ordering": ["step"]},
        ),
        migrations.CreateModel(
            "Sealed",
            [
                key(),
                ("kind", models.CharField(max_length=10)),
                ("key", models.BigIntegerField()),
                ("name", models.CharField(max_length=40)),
                ("generation", models.CharField(db_index=True, max_length=16)),
                ("size", models.BigIntegerField()),
                ("files", models.JSONField()),
                ("stored_at", models.DateTimeField(auto_now=True)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=["kind", "key", "name"], name="sealed_once")]},
        ),
        migrations.CreateModel(
            "Comparison",
            [
                key(),
                ("first", models.ForeignKey("webapp.snapshot", models.CASCADE, related_name="+")),
                ("second", models.ForeignKey("webapp.snapshot", models.CASCADE, related_name="+")),
                ("by", models.ForeignKey("webapp.user", models.SET_NULL, null=True, related_name="+")),
                ("size", models.BigIntegerField(default=0)),
                ("done", models.FloatField(default=0)),
                ("data", models.JSONField(null=True)),
                *job("queued", "comparing", "ready", "failed"),
            ],
            options={
                "indexes": [models.Index(fields=["status", "heartbeat_at"], name="comparison_status")],
                "constraints": [models.UniqueConstraint(fields=["first", "second"], name="one_comparison")],
            },
        ),
        migrations.CreateModel(
            "Export",
            [
                key(),
                ("run", models.ForeignKey("webapp.run", models.CASCADE, related_name="exports")),
                ("by", models.ForeignKey("webapp.user", models.CASCADE, related_name="+")),
                ("file", models.CharField(max_length=100)),
                ("query", models.TextField(blank=True)),
                ("name", models.TextField()),
                ("sentence", models.TextField()),
                ("expected", models.BigIntegerField()),
                ("bytes", models.BigIntegerField(default=0)),
                ("sha256", models.CharField(default="", max_length=64)),
                ("made_at", models.DateTimeField(null=True)),
                *job("queued", "making", "ready", "failed"),
            ],
            options={
                "indexes": [
                    models.Index(fields=["status", "heartbeat_at"], name="export_status"),
                    models.Index(fields=["by", "-id"], name="export_by"),
                    models.Index(fields=["run", "by", "-id"], name="export_run"),
                ]
            },
        ),
        migrations.CreateModel(
            "Replicate",
            [
                key(),
                ("run", models.ForeignKey("webapp.run", models.CASCADE, related_name="replicates")),
                ("seed", models.BigIntegerField()),
                (
                    "texts",
                    models.CharField(
                        choices=[(name, name.title()) for name in ("own", "drawn", "half")], default="own", max_length=5
                    ),
                ),
                ("topics", models.BinaryField(null=True)),
                ("tokens", models.BinaryField(null=True)),
                ("elsewhere", models.JSONField(default=list)),
                *job("queued", "training", "ready", "failed"),
            ],
            options={
                "indexes": [models.Index(fields=["status", "heartbeat_at"], name="replicate_status")],
                "constraints": [models.UniqueConstraint(fields=["run", "seed"], name="one_replicate")],
            },
        ),
        migrations.CreateModel(
            "Upload",
            [
                (
                    "corpus",
                    models.OneToOneField(
                        "webapp.corpus", models.CASCADE, primary_key=True, serialize=False, related_name="upload"
                    ),
                ),
                ("named", models.BooleanField(default=True)),
                ("checkpoint", models.JSONField(default=dict, null=True)),
                ("question", models.JSONField(null=True)),
                ("choices", models.JSONField(null=True)),
                ("position", models.IntegerField(null=True)),
                ("deleted_at", models.DateTimeField(null=True)),
                *job("queued", "storing", "stored", "joining", "failed"),
            ],
            options={"indexes": [models.Index(fields=["status", "heartbeat_at"], name="upload_status")]},
        ),
        migrations.RunSQL(CARRY_OVER),
        migrations.RemoveField("corpus", "arriving"),
        migrations.RunSQL(SHOWN),
        migrations.CreateModel(
            "TextShown",
            [
                ("pk", models.CompositePrimaryKey("reader", "digest", primary_key=True, serialize=False)),
                ("corpus", models.ForeignKey("webapp.corpus", models.DO_NOTHING, related_name="+")),
                ("reader", models.CharField(max_length=30)),
                ("digest", models.BinaryField()),
                ("shown", models.TextField()),
                ("used_up", models.BooleanField(default=False)),
            ],
            options={"db_table": "text_shown", "managed": False},
        ),
        migrations.CreateModel(
            "TextReader",
            [
                ("pk", models.CompositePrimaryKey("corpus_id", "reader", primary_key=True, serialize=False)),
                ("corpus", models.ForeignKey("webapp.corpus", models.DO_NOTHING, related_name="+")),
                ("reader", models.CharField(max_length=30)),
                ("texts", models.BigIntegerField()),
                ("used_up", models.BigIntegerField()),
            ],
            options={"db_table": "text_reader", "managed": False},
        ),
        migrations.CreateModel(
            "Concept",
            [
                key(),
                ("name", models.CharField(max_length=100)),
                (
                    "kind",
                    models.CharField(
                        choices=[("yes_no", "Yes No"), ("one_of", "One Of"), ("scale", "Scale")], max_length=10
                    ),
                ),
                ("origin", models.TextField(default="")),
                ("token", models.CharField(max_length=43, null=True, unique=True)),
                ("by", models.CharField(max_length=60)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("removed_at", models.DateTimeField(null=True)),
                ("corpus", models.ForeignKey("webapp.corpus", models.CASCADE, related_name="concepts")),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            "Coder",
            [
                key(),
                ("name", models.CharField(max_length=60)),
                ("token", models.CharField(max_length=43, unique=True)),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                ("user", models.ForeignKey(USER, models.SET_NULL, null=True)),
                ("concept", models.ForeignKey("webapp.concept", models.CASCADE, related_name="coders")),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(models.F("concept"), Lower("name"), name="coder_name")],
            },
        ),
        migrations.CreateModel(
            "Definition",
            [
                key(),
                ("number", models.IntegerField()),
                ("text", models.TextField()),
                ("examples", models.TextField(blank=True)),
                ("borderline", models.TextField(blank=True)),
                ("codes", models.JSONField()),
                ("anew", models.BooleanField()),
                ("by", models.CharField(max_length=60)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("concept", models.ForeignKey("webapp.concept", models.CASCADE, related_name="definitions")),
            ],
            options={
                "ordering": ["number"],
                "constraints": [models.UniqueConstraint(fields=("concept", "number"), name="definition_number")],
            },
        ),
        migrations.CreateModel(
            "Draw",
            [
                key(),
                ("topic", models.IntegerField(null=True)),
                ("columns", models.JSONField()),
                ("documents", models.BigIntegerField()),
                ("elsewhere", models.BooleanField(default=False)),
                ("seed", models.BigIntegerField()),
                ("overlap", models.FloatField()),
                ("by", models.CharField(max_length=60)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("concept", models.OneToOneField("webapp.concept", models.CASCADE, related_name="draw")),
                ("run", models.ForeignKey("webapp.run", models.SET_NULL, null=True)),
            ],
        ),
        migrations.CreateModel(
            "Example",
            [
                key(),
                ("document", models.BigIntegerField()),
                ("note", models.TextField(blank=True)),
                ("by", models.CharField(max_length=60)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("concept", models.ForeignKey("webapp.concept", models.CASCADE, related_name="chosen")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("concept", "document"), name="example_once")]},
        ),
        migrations.CreateModel(
            "Item",
            [
                key(),
                ("document", models.BigIntegerField()),
                ("place", models.IntegerField()),
                ("pi", models.FloatField()),
                ("stratum", models.IntegerField()),
                ("stratum_size", models.BigIntegerField()),
                ("twice", models.BooleanField()),
                ("draw", models.ForeignKey("webapp.draw", models.CASCADE, related_name="items")),
            ],
            options={
                "ordering": ["place"],
                "constraints": [models.UniqueConstraint(fields=("draw", "document"), name="item_once")],
            },
        ),
        migrations.CreateModel(
            "Coding",
            [
                key(),
                ("code", models.SmallIntegerField()),
                ("unsure", models.BooleanField()),
                ("remark", models.TextField(blank=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("coder", models.ForeignKey("webapp.coder", models.CASCADE, related_name="codings")),
                ("definition", models.ForeignKey("webapp.definition", models.CASCADE)),
                ("item", models.ForeignKey("webapp.item", models.CASCADE, related_name="codings")),
            ],
            options={"indexes": [models.Index(fields=["item", "coder", "-id"], name="coding_newest")]},
        ),
        migrations.CreateModel(
            "Assignment",
            [
                key(),
                ("base", models.IntegerField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("coder", models.ForeignKey("webapp.coder", models.CASCADE, related_name="assignments")),
                ("item", models.ForeignKey("webapp.item", models.CASCADE, related_name="assignments")),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("item", "coder", "base"), name="assigned_once")]},
        ),
        migrations.CreateModel(
            "Settlement",
            [
                key(),
                ("code", models.SmallIntegerField()),
                ("by", models.CharField(max_length=60)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("definition", models.ForeignKey("webapp.definition", models.CASCADE)),
                ("item", models.ForeignKey("webapp.item", models.CASCADE, related_name="settlements")),
            ],
        ),
        migrations.AlterField("invitation", "role", models.CharField(choices=ROLES, max_length=10)),
        migrations.AlterField("membership", "role", models.CharField(choices=ROLES, max_length=10)),
        migrations.CreateModel(
            "Course",
            [
                key(),
                ("name", models.CharField(max_length=100)),
                ("token", models.CharField(max_length=43, null=True, unique=True)),
                ("ends_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("corpus", models.ForeignKey("webapp.corpus", models.SET_NULL, "courses", null=True)),
                ("owner", models.ForeignKey(USER, models.PROTECT, "courses")),
            ],
            {"ordering": ["-id"]},
        ),
        migrations.CreateModel(
            "Student",
            [
                ("user", models.OneToOneField(USER, models.CASCADE, primary_key=True, serialize=False)),
                ("number", models.IntegerField()),
                ("name", models.CharField(max_length=60)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                ("seen_at", models.DateTimeField(null=True)),
                ("address", models.TextField(default="")),
                ("course", models.ForeignKey("webapp.course", models.PROTECT, "students")),
            ],
            {
                "ordering": ["number"],
                "constraints": [models.UniqueConstraint(fields=["course", "number"], name="one_student_per_number")],
            },
        ),
        migrations.AddField(
            "notebook",
            "handed_in_by",
            models.ForeignKey("webapp.student", models.SET_NULL, "handed_in", null=True),
        ),
    ]
