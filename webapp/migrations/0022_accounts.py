"""Accounts, and whose things are. What is there already belongs to the one local owner, whom webapp.models.Users.local finds."""

import django.db.models.deletion
import django.db.models.functions.text
import webapp.models
from django.conf import settings
from django.db import migrations, models

# Fields that are never empty once those that are there are filled.
OWNED = {"corpus": ("owner", "PROTECT", "corpora"), "notebook": ("owner", "CASCADE", "notebooks"), "apitoken": ("user", "CASCADE", "tokens")}
FILL = """
INSERT INTO webapp_user (password, name, is_active, is_staff, local, created_at)
SELECT '!', 'owner', true, true, true, now()
WHERE EXISTS (SELECT FROM webapp_corpus) OR EXISTS (SELECT FROM webapp_notebook) OR EXISTS (SELECT FROM webapp_apitoken);
UPDATE webapp_corpus SET owner_id = (SELECT id FROM webapp_user WHERE local);
UPDATE webapp_notebook SET owner_id = (SELECT id FROM webapp_user WHERE local);
UPDATE webapp_apitoken SET user_id = (SELECT id FROM webapp_user WHERE local);
UPDATE webapp_run SET by_id = (SELECT id FROM webapp_user WHERE local);
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE webapp_corpus ALTER owner_id SET NOT NULL;
ALTER TABLE webapp_notebook ALTER owner_id SET NOT NULL;
ALTER TABLE webapp_apitoken ALTER user_id SET NOT NULL;
SET CONSTRAINTS ALL DEFERRED;
"""


def owned(model: str, **options):
    name, deletion, related = OWNED[model]
    deletion = getattr(django.db.models.deletion, deletion)
    return {"model_name": model, "name": name, "field": models.ForeignKey(on_delete=deletion, related_name=related, to=settings.AUTH_USER_MODEL, **options)}



class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0021_tries'),
    ]
    # Their tables point at that of users.
    run_before = [('account', '0001_initial'), ('mfa', '0001_initial'), ('socialaccount', '0001_initial')]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('email', models.EmailField(max_length=254, null=True, unique=True)),
                ('name', models.CharField(max_length=60)),
                ('is_active', models.BooleanField(default=True)),
                ('is_staff', models.BooleanField(default=False)),
                ('local', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('most_bytes', models.BigIntegerField(null=True)),
                ('most_documents', models.BigIntegerField(null=True)),
                ('most_jobs', models.IntegerField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254)),
                ('role', models.CharField(choices=[('viewer', 'Viewer'), ('editor', 'Editor')], max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Link',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('name', models.CharField(blank=True, max_length=60)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('used_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('viewer', 'Viewer'), ('editor', 'Editor')], max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.RemoveIndex(
            model_name='notebook',
            name='notebook_used',
        ),
        migrations.AddField(
            model_name='corpus',
            name='public',
            field=models.BooleanField(default=False),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.UniqueConstraint(django.db.models.functions.text.Lower('name'), name='one_name'),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.UniqueConstraint(condition=models.Q(('local', True)), fields=('local',), name='one_local_owner'),
        ),
        migrations.AddField(**owned('apitoken', null=True)),
        migrations.AddField(**owned('corpus', null=True)),
        migrations.AddField(**owned('notebook', null=True)),
        migrations.AddField(
            model_name='run',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunSQL(FILL, state_operations=[migrations.AlterField(**owned(model, default=webapp.models.local_owner)) for model in OWNED]),
        migrations.AddIndex(
            model_name='corpus',
            index=models.Index(fields=['owner', '-id'], name='corpus_owner'),
        ),
        migrations.AddIndex(
            model_name='corpus',
            index=models.Index(condition=models.Q(('public', True)), fields=['-id'], name='corpus_public'),
        ),
        migrations.AddIndex(
            model_name='notebook',
            index=models.Index(fields=['owner', '-used_at', '-id'], name='notebook_used'),
        ),
        migrations.AddIndex(
            model_name='notebook',
            index=models.Index(fields=['owner', '-id'], name='notebook_owner'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['by', 'status'], name='run_by'),
        ),
        migrations.AddField(
            model_name='invitation',
            name='by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='invitation',
            name='corpus',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='webapp.corpus'),
        ),
        migrations.AddField(
            model_name='link',
            name='by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='link',
            name='corpus',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links', to='webapp.corpus'),
        ),
        migrations.AddField(
            model_name='membership',
            name='corpus',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='webapp.corpus'),
        ),
        migrations.AddField(
            model_name='membership',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='invitation',
            index=models.Index(fields=['email'], name='invitation_email'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.UniqueConstraint(fields=('corpus', 'email'), name='one_invitation'),
        ),
        migrations.AddIndex(
            model_name='membership',
            index=models.Index(fields=['user', '-corpus'], name='membership_user'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('corpus', 'user'), name='one_role'),
        ),
    ]
