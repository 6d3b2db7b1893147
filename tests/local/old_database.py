"""Run by test_migrations.py with a database and a state folder of its own: data as the first
version had them, then every migration.

Prints JSON: of each migration which of the large tables it rewrote and which indexes of them it
built; then what is there.
"""

import json

import django

FIRST = """
INSERT INTO webapp_corpus (id, name, created_at, status, settings, report, error, documents, tokens, vocabulary, bytes_read, bytes_total,
    documents_read, attempt) VALUES
    (5, 'Letters', now(), 'ready', '{"language": "en", "options": {"text": 1}, "min_documents": 1}', '{"dropped": {"stop word": [2, 9]}}', '',
     3, 6, 3, 40, 40, 3, 1),
    (6, 'A draft', now(), 'draft', '{}', '{}', '', 0, 0, 0, 0, 12, 0, 0);
INSERT INTO webapp_sourcefile (id, corpus_id, position, name, path, bytes, sha256) VALUES
    (1, 5, 0, 'letters.csv', 'corpora/5/source/000000', 40, repeat('a', 64)), (2, 6, 0, 'x.txt', 'corpora/6/source/000000', 12, repeat('b', 64));
CREATE TABLE document_5 PARTITION OF document FOR VALUES IN (5);
INSERT INTO document (corpus_id, number, source_id, file, place, title, date_text, date, metadata, text, words, config) VALUES
    (5, 0, 'a', 'letters.csv', 'row 2', 'First', '1900', '1900-01-01', '{"to": "Ada"}', 'the sea and the sea', 2, 'english'),
    (5, 1, 'b', 'letters.csv', 'row 3', 'Second', '', NULL, '{}', 'café by the sea', 2, 'english'),
    (5, 2, 'c', 'letters.csv', 'row 4', '', '', NULL, '{}', 'harbour café', 2, 'english');
CREATE TABLE word_5 PARTITION OF word FOR VALUES IN (5);
INSERT INTO word (corpus_id, number, word, tokens, documents) VALUES (5, 0, 'sea', 3, 2), (5, 1, 'café', 2, 2), (5, 2, 'harbour', 1, 1);
INSERT INTO webapp_run (id, corpus_id, status, request, engine, settings, seed, created_at, finished_at, attempt, step, steps, tokens_seen,
    seconds, error) VALUES (7, 5, 'done', '', 'ssi', '{"topics": 2, "passes": 1, "minibatch": 256, "kappa": 0.7, "tau0": 64}', 3, now(), now(), 1, 4, 4, 6, 1.5, '');
INSERT INTO webapp_metric (run_id, step, tokens, seconds, held_out, coherence, topic_coherence, nonzero) VALUES
    (7, 4, 6, 1.5, NULL, -1.5, '{-1, -2}', 0.5);
INSERT INTO webapp_snapshot (id, run_id, step, created_at, final) VALUES (9, 7, 4, now(), true);
UPDATE webapp_run SET snapshot_id = 9;
INSERT INTO webapp_topic (snapshot_id, number, share, coherence, floor, floor_mass) VALUES (9, 0, 0.6, -1, 0.01, 0.01), (9, 1, 0.4, -2, 0.02, 0.02);
CREATE TABLE topic_word_9 PARTITION OF topic_word FOR VALUES IN (9);
INSERT INTO topic_word (snapshot_id, topic, word, rank, weight) VALUES (9, 0, 0, 0, 0.9), (9, 0, 1, 1, 0.09), (9, 1, 1, 0, 0.6), (9, 1, 2, 1, 0.4);
CREATE TABLE document_topic_9 PARTITION OF document_topic FOR VALUES IN (9);
INSERT INTO document_topic (snapshot_id, document, topic, weight) VALUES (9, 0, 0, 1), (9, 1, 0, 0.5), (9, 1, 1, 0.5), (9, 2, 1, 1);
"""
# As it was before uploads had a table: what Corpus.arriving said of files that were being stored,
# copied from another corpus, looked into, or joined to the corpus that they are added to; and of
# what had failed.
BEFORE_UPLOADS = """
INSERT INTO webapp_corpus (id, name, created_at, status, settings, report, progress, error, bytes_read, bytes_total,
    documents_read, embargo, public, provenance, attempt, tries, owner_id, parent_id, into_id, arriving, deleted_at)
SELECT id, name, now(), status, '{}', '{}', '{}', error, 7, 40, 0, false, false, '{}', 3, 2,
    (SELECT owner_id FROM webapp_corpus WHERE id = 5), parent, added_to, arriving::jsonb, deleted
FROM (VALUES
    (11, 'Stored', 'reading', '', NULL, NULL, '{"of": null, "named": false, "uploads": 2, "inside": 1, "files": 4, "bytes": 9}', NULL),
    (12, 'Copied', 'queued', '', 5, NULL, '{"of": 5, "named": true, "uploads": 0, "inside": 0, "files": 1, "bytes": 3}', NULL),
    (13, 'Broken', 'failed', 'The disk was full.', NULL, NULL, '{"of": null, "named": true, "uploads": 0, "inside": 0, "files": 0, "bytes": 0}', now()),
    (14, 'Looked into', 'queued', '', NULL, NULL, '{"looking": {"table": "t.csv", "known": {"sheet": "a"}}}', NULL),
    (15, 'Joined', 'draft', '', NULL, 5, '{"first": 4, "end": 6, "mark": {"of": 15, "named": true, "uploads": 0, "inside": 0, "files": 1, "bytes": 8}}', NULL),
    (16, 'Not readable', 'failed', 'No text.', NULL, NULL, '{}', NULL)
) AS before (id, name, status, error, parent, added_to, arriving, deleted);
"""
PAGES = ["/", "/corpora/5/", "/corpora/5/documents/", "/corpora/5/documents/1/", "/corpora/6/prepare/", "/corpora/11/", "/corpora/14/", "/runs/7/", "/runs/7.json", "/runs/7/topics/",
         "/runs/7/topics/1/", "/runs/7/words/", "/compare/", "/deleted/", "/notebooks/", "/api/v1/corpora/"]  # fmt: skip
TABLES = [
    "webapp_corpus",
    "webapp_upload",
    "webapp_sourcefile",
    "webapp_version",
    "webapp_run",
    "webapp_metric",
    "webapp_topic",
    "document",
    "word",
    "topic_word",
]


def large(cursor) -> dict[str, tuple]:
    """Of each partition that there is the file that its rows are in, where its rows stand, and its
    indexes."""
    found = {}
    for name in ("document_5", "word_5", "topic_word_9", "document_topic_9"):
        cursor.execute("SELECT to_regclass(%s)", [name])
        if cursor.fetchone()[0] is None:
            continue
        cursor.execute(
            f"SELECT pg_relation_filenode('{name}'), array_agg(ctid::text || xmin::text ORDER BY"
            f" ctid) FROM {name}"
        )
        node, places = cursor.fetchone()
        cursor.execute("SELECT count(*) FROM pg_index WHERE indrelid = %s::regclass", [name])
        found[name] = (node, places, cursor.fetchone()[0])
    return found


def step_by_step() -> dict[str, dict]:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    executor.migrate([("webapp", "0001_initial")])
    with connection.cursor() as cursor:
        cursor.execute(FIRST)
    ends = MigrationExecutor(connection)
    plan = ends.migration_plan(ends.loader.graph.leaf_nodes())
    said = {}
    for migration, _ in plan:
        with connection.cursor() as cursor:
            if migration.name == "0028_to_0050":
                cursor.execute(BEFORE_UPLOADS)
            before = large(cursor)
            MigrationExecutor(connection).migrate([(migration.app_label, migration.name)])
            after = large(cursor)
        rewritten = [
            name for name in before if name in after and before[name][:2] != after[name][:2]
        ]
        indexed = [name for name in before if name in after and after[name][2] > before[name][2]]
        said[f"{migration.app_label}.{migration.name}"] = {
            "rewritten": rewritten,
            "indexed": indexed,
        }
    return said


def main() -> None:
    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from scipy.sparse import csr_matrix

    from inference import Bow

    Bow.from_csr(csr_matrix([[2, 0, 0], [1, 1, 0], [0, 1, 1]])).save(
        settings.FILES / "corpora" / "5" / "bow"
    )
    for corpus in (5, 6):
        (settings.FILES / "corpora" / str(corpus) / "source").mkdir(parents=True)
        (settings.FILES / "corpora" / str(corpus) / "source" / "000000").write_bytes(
            b"text\nsomething"
        )
    said = step_by_step()
    call_command("migrate", verbosity=0)
    settings.ALLOWED_HOSTS = ["testserver"]
    rows = {}
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"SELECT to_jsonb(t) FROM {table} t ORDER BY 1")
            rows[table] = [
                json.loads(row) if isinstance(row, str) else row for (row,) in cursor.fetchall()
            ]
        cursor.execute("SELECT relname FROM pg_class WHERE relname LIKE 'document_topic%'")
        rows["document_topic"] = cursor.fetchall()
    client = Client()
    answers = {at: client.get(at) for at in PAGES}
    pages = {at: [answer.status_code, answer.content.decode()] for at, answer in answers.items()}
    files = sorted(
        path.relative_to(settings.FILES).as_posix()
        for path in settings.FILES.rglob("*")
        if path.is_file()
    )
    print(json.dumps({"migrations": said, "rows": rows, "pages": pages, "files": files}))


if __name__ == "__main__":
    main()
