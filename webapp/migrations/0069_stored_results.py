"""The table of findings has other results of a snapshot, too: its model is called after what it holds. In the state of the
models alone: the table and its rows stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0068_family_terms")]
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterModelTable("findings", "webapp_findings"),
                migrations.RenameModel("Findings", "StoredResult"),
                migrations.AlterField(
                    "storedresult",
                    "snapshot",
                    models.ForeignKey("webapp.snapshot", models.CASCADE, related_name="stored_results"),
                ),
            ]
        )
    ]
