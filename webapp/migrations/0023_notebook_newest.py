from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0022_accounts'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='notebook',
            index=models.Index(fields=['-used_at', '-id'], name='notebook_newest'),
        ),
    ]
