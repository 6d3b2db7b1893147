"""Comparisons of runs that take long, and files that are made before they are taken away: both are jobs."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webapp', '0037_sealed'),
    ]

    operations = [
        migrations.CreateModel(
            name='Comparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('comparing', 'Comparing'), ('ready', 'Ready'), ('failed', 'Failed')], default='queued', max_length=10)),
                ('size', models.BigIntegerField(default=0)),
                ('done', models.FloatField(default=0)),
                ('data', models.JSONField(null=True)),
                ('error', models.TextField(default='')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('attempt', models.IntegerField(default=0)),
                ('tries', models.IntegerField(default=0)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='webapp.snapshot')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='webapp.snapshot')),
            ],
            options={
                'indexes': [models.Index(fields=['status', 'heartbeat_at'], name='comparison_status')],
                'constraints': [models.UniqueConstraint(fields=('first', 'second'), name='one_comparison')],
            },
        ),
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file', models.CharField(max_length=100)),
                ('query', models.TextField(blank=True)),
                ('name', models.TextField()),
                ('sentence', models.TextField()),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('making', 'Making'), ('ready', 'Ready'), ('failed', 'Failed')], default='queued', max_length=10)),
                ('expected', models.BigIntegerField()),
                ('bytes', models.BigIntegerField(default=0)),
                ('sha256', models.CharField(default='', max_length=64)),
                ('error', models.TextField(default='')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('made_at', models.DateTimeField(null=True)),
                ('attempt', models.IntegerField(default=0)),
                ('tries', models.IntegerField(default=0)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exports', to='webapp.run')),
            ],
            options={
                'indexes': [models.Index(fields=['status', 'heartbeat_at'], name='export_status'), models.Index(fields=['by', '-id'], name='export_by'), models.Index(fields=['run', 'by', '-id'], name='export_run')],
            },
        ),
    ]
