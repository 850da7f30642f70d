"""What students submit, who reviews it, and reports. Every table whole, after those it points to: that makes an empty database fast."""

import django.db.models.deletion
import peerage_web.classes.keys
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('peerage_web', '0002_courses'),
    ]

    operations = [
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='peerage_web.assignment')),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='peerage_web.membership')),
                ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='peerage_web.team')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('excluded_at', models.DateTimeField(blank=True, null=True)),
                ('excluded_reason', models.CharField(blank=True, max_length=300)),
                ('reopened_until', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'author'), name='one_submission_per_student'), models.UniqueConstraint(fields=('assignment', 'team'), name='one_submission_per_team'), models.CheckConstraint(condition=models.Q(models.Q(('author__isnull', True), models.Q(('team__isnull', True), _negated=True)), models.Q(models.Q(('author__isnull', True), _negated=True), ('team__isnull', True)), _connector='OR'), name='submission_has_one_author')],
            },
        ),
        migrations.CreateModel(
            name='SubmissionVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='peerage_web.submission')),
                ('number', models.PositiveSmallIntegerField()),
                ('receipt', models.CharField(default=peerage_web.classes.keys.secret_key, editable=False, max_length=32, unique=True)),
                ('sha256', models.CharField(max_length=64)),
                ('uploaded_at', models.DateTimeField(auto_now_add=True)),
                ('uploaded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='uploaded_versions', to=settings.AUTH_USER_MODEL)),
                ('submitted_at', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('is_late', models.BooleanField(default=False)),
                ('names_found', models.JSONField(default=list)),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('submission', 'number'), name='submissions_are_numbered')],
            },
        ),
        migrations.CreateModel(
            name='SubmissionFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='peerage_web.submissionversion')),
                ('position', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=200)),
                ('stored', models.CharField(default=peerage_web.classes.keys.secret_key, editable=False, max_length=32, unique=True)),
                ('kind', models.CharField(choices=[('pdf', 'PDF'), ('image', 'Images (PNG, JPEG)'), ('text', 'Plain text'), ('markdown', 'Markdown'), ('word', 'Word (.docx)')], max_length=10)),
                ('bytes', models.PositiveBigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('waiting', 'waiting to be made'), ('ready', 'ready'), ('failed', 'could not be made')], db_index=True, default='waiting', max_length=8)),
                ('pages', models.PositiveSmallIntegerField(default=0)),
                ('problem', models.CharField(blank=True, max_length=300)),
                ('disk_bytes', models.PositiveBigIntegerField(default=0)),
                ('making_since', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('version', 'position'), name='files_are_numbered')],
            },
        ),
        migrations.CreateModel(
            name='AllocationRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='allocation_runs', to='peerage_web.assignment')),
                ('kind', models.CharField(choices=[('first', 'the allocation'), ('late', 'late submissions and their authors joined'), ('repair', 'what no-shows held was given to others'), ('replacement', 'a reported submission was replaced'), ('by-hand', 'staff, or a file')], max_length=12)),
                ('design', models.CharField(max_length=12)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('options', models.JSONField(default=dict)),
                ('quality', models.JSONField(default=dict)),
                ('notes', models.JSONField(default=list)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['made_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Review',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=peerage_web.classes.keys.secret_key, editable=False, max_length=32, unique=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reviews', to='peerage_web.assignment')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='peerage_web.membership')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='peerage_web.submission')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='peerage_web.allocationrun')),
                ('label', models.CharField(max_length=8)),
                ('position', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('open', 'to be done'), ('replaced', 'reported, another submission came in its place'), ('released', 'taken from a no-show'), ('excluded', 'the submission was excluded')], default='open', max_length=10)),
                ('in_place_of', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='replacements', to='peerage_web.review')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['position', 'pk'],
                'indexes': [models.Index(fields=['assignment', 'state'], name='reviews_by_state')],
                'constraints': [models.UniqueConstraint(fields=('reviewer', 'submission'), name='a_submission_once_per_reviewer'), models.UniqueConstraint(fields=('assignment', 'reviewer', 'label'), name='labels_differ'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'open'), models.Q(('ended_at__isnull', False), _negated=True)), models.Q(models.Q(('state', 'open'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='ended_review_says_when')],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('review', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='report', to='peerage_web.review')),
                ('reason', models.CharField(choices=[('blank', 'It is blank'), ('unreadable', 'I cannot open or read it'), ('known', 'I know whose it is'), ('plagiarism', 'It seems to be copied'), ('offensive', 'It is offensive'), ('other', 'Something else is wrong')], max_length=10)),
                ('text', models.CharField(blank=True, max_length=1000)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('settled_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('outcome', models.CharField(blank=True, max_length=300)),
            ],
            options={
                'ordering': ['made_at', 'pk'],
            },
        ),
    ]
