"""People, jobs, mail and limits: what the service has without classes."""

import django.db.models.deletion
import django.db.models.functions.text
import peerage_web.files.models
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Person',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('email', models.CharField(max_length=254, unique=True)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('language', models.CharField(blank=True, max_length=10)),
                ('mail_to', models.CharField(blank=True, max_length=254)),
                ('is_active', models.BooleanField(default=True)),
                ('is_operator', models.BooleanField(default=False)),
                ('may_create_courses', models.BooleanField(default=False)),
                ('wants_reminders', models.BooleanField(default=True)),
                ('calendar_key', models.CharField(blank=True, max_length=64, null=True, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('erased_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['email'],
                'constraints': [models.CheckConstraint(condition=models.Q(('email', django.db.models.functions.text.Lower('email'))), name='address_in_small_letters')],
            },
        ),
        migrations.CreateModel(
            name='Identity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='identities', to=settings.AUTH_USER_MODEL)),
                ('issuer', models.CharField(max_length=255)),
                ('subject', models.CharField(max_length=255)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('issuer', 'subject'), name='one_person_per_identity')],
            },
        ),
        migrations.CreateModel(
            name='SignIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sign_ins', to=settings.AUTH_USER_MODEL)),
                ('session_key', models.CharField(max_length=40, unique=True)),
                ('browser', models.CharField(blank=True, max_length=60)),
                ('began_at', models.DateTimeField(auto_now_add=True)),
                ('seen_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-seen_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='OneTimeLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('first', 'makes the first account'), ('invitation', 'sets the first password'), ('reset', 'sets another password'), ('sign-in', 'signs in'), ('email', 'changes the address')], max_length=12)),
                ('email', models.CharField(blank=True, max_length=254)),
                ('hash', models.CharField(max_length=64, unique=True)),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='links', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='links_given', to=settings.AUTH_USER_MODEL)),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('kind', 'first'), ('person__isnull', False), _connector='OR'), name='link_is_somebodys')],
            },
        ),
        migrations.CreateModel(
            name='Mail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mail', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(max_length=40)),
                ('to', models.CharField(blank=True, max_length=254)),
                ('about', models.CharField(blank=True, db_index=True, max_length=64)),
                ('once', models.CharField(blank=True, max_length=200, null=True, unique=True)),
                ('subject', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('language', models.CharField(max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('not_before', models.DateTimeField(db_index=True)),
                ('sent_at', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('given_up_at', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('problem', models.CharField(blank=True, max_length=300)),
            ],
            options={
                'verbose_name_plural': 'mail',
                'ordering': ['not_before', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('key', models.CharField(default=peerage_web.files.models.new_key, editable=False, max_length=64, unique=True)),
                ('state', models.CharField(choices=[('draft', 'uploaded, waiting for the visitor'), ('queued', 'waiting for its turn'), ('running', 'being graded'), ('done', 'graded'), ('failed', 'could not be graded'), ('cancelled', 'cancelled')], db_index=True, default='draft', max_length=10)),
                ('origin', models.CharField(choices=[('page', 'page'), ('api', 'API'), ('class', 'class')], default='page', max_length=8)),
                ('visitor', models.CharField(db_index=True, max_length=64)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(blank=True, max_length=100)),
                ('file_name', models.CharField(max_length=200)),
                ('file_bytes', models.PositiveBigIntegerField(default=0)),
                ('options', models.JSONField(default=dict)),
                ('filled', models.JSONField(null=True)),
                ('roster_name', models.CharField(blank=True, max_length=200)),
                ('anchors_name', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('queued_at', models.DateTimeField(null=True)),
                ('expires_at', models.DateTimeField(db_index=True, default=peerage_web.files.models.expiry, null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('worker', models.CharField(blank=True, max_length=64)),
                ('cost', models.FloatField(default=0)),
                ('not_before', models.DateTimeField(null=True)),
                ('disk_bytes', models.PositiveBigIntegerField(default=0)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('step', models.CharField(blank=True, max_length=200)),
                ('steps_done', models.PositiveSmallIntegerField(default=0)),
                ('problem', models.JSONField(null=True)),
                ('summary', models.JSONField(null=True)),
            ],
            options={
                'ordering': ['created_at'],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'queued', 'running', 'done', 'failed', 'cancelled'])), name='job_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), _negated=True), ('problem__isnull', False), _connector='OR'), name='job_failed_says_why'), models.CheckConstraint(condition=models.Q(('attempt__lte', 2)), name='job_tried_at_most_twice')],
            },
        ),
        migrations.CreateModel(
            name='RequestCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('client', models.CharField(max_length=64)),
                ('kind', models.CharField(max_length=20)),
                ('window', models.DateTimeField(db_index=True)),
                ('count', models.PositiveIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('client', 'kind', 'window'), name='one_row_per_window')],
            },
        ),
    ]
