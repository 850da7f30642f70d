"""Practice, reminders, surveys, webhooks and announcements. Every table whole, after those it points to: that makes an empty database fast."""

import django.db.models.deletion
import django.utils.timezone
import peerage_web.classes.keys
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('peerage_web', '0005_release'),
    ]

    operations = [
        migrations.CreateModel(
            name='PracticeExample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='practice_examples', to='peerage_web.assignment')),
                ('key', models.CharField(default=peerage_web.classes.keys.secret_key, editable=False, max_length=32, unique=True)),
                ('position', models.PositiveSmallIntegerField()),
                ('place', models.PositiveSmallIntegerField()),
                ('title', models.CharField(max_length=200)),
                ('text', models.TextField(blank=True)),
                ('stored', models.CharField(blank=True, max_length=32)),
                ('kind', models.CharField(blank=True, choices=[('pdf', 'PDF'), ('image', 'Images (PNG, JPEG)'), ('text', 'Plain text'), ('markdown', 'Markdown'), ('word', 'Word (.docx)')], max_length=10)),
                ('pages', models.PositiveSmallIntegerField(default=0)),
                ('because', models.TextField(blank=True)),
            ],
            options={
                'ordering': ['position', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='PracticeAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='practice_answers', to='peerage_web.assignment')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='practice_answers', to='peerage_web.membership')),
                ('tiers', models.JSONField(default=list)),
                ('version', models.PositiveIntegerField(default=0)),
                ('saved_at', models.DateTimeField(auto_now=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'membership'), name='one_practice_per_student')],
            },
        ),
        migrations.CreateModel(
            name='Reminder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reminders', to='peerage_web.membership')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reminders', to='peerage_web.assignment')),
                ('task', models.CharField(choices=[('submission', 'submission'), ('reviews', 'reviews'), ('opened', 'reviews that have just opened')], max_length=10)),
                ('due_at', models.DateTimeField()),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('settled_at', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('mail', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reminders', to='peerage_web.mail')),
            ],
            options={
                'ordering': ['made_at', 'pk'],
                'indexes': [models.Index(fields=['membership', 'made_at'], name='reminders_of_a_member')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('made_by__isnull', True)), fields=('membership', 'assignment', 'task', 'due_at'), name='reminded_by_itself_once')],
            },
        ),
        migrations.CreateModel(
            name='Survey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='survey', to='peerage_web.assignment')),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='SurveyQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='survey_questions', to='peerage_web.assignment')),
                ('code', models.CharField(blank=True, max_length=20)),
                ('position', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('helpful', 'was it helpful or valuable, and why'), ('choice', 'one of some answers'), ('text', 'free text')], max_length=8)),
                ('text', models.CharField(max_length=500)),
                ('choices', models.JSONField(default=list)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['position', 'pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('code', ''), _negated=True), fields=('assignment', 'code'), name='the_papers_questions_once')],
            },
        ),
        migrations.CreateModel(
            name='SurveyAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=peerage_web.classes.keys.short_key, editable=False, max_length=16, unique=True)),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='peerage_web.surveyquestion')),
                ('membership', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='survey_answers', to='peerage_web.membership')),
                ('respondent', models.CharField(blank=True, max_length=16)),
                ('choice', models.CharField(blank=True, max_length=200)),
                ('text', models.TextField(blank=True, max_length=5000)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('question', 'membership'), name='answered_once'), models.UniqueConstraint(condition=models.Q(('respondent', ''), _negated=True), fields=('question', 'respondent'), name='answered_once_by_nobody'), models.CheckConstraint(condition=models.Q(models.Q(('membership__isnull', False), ('respondent', '')), models.Q(models.Q(('membership__isnull', False), _negated=True), models.Q(('respondent', ''), _negated=True)), _connector='OR'), name='answers_are_theirs_or_nobodys')],
            },
        ),
        migrations.CreateModel(
            name='SurveyCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('answer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codes', to='peerage_web.surveyanswer')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('category', models.CharField(max_length=20)),
                ('at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('answer', 'by'), name='coded_once_each')],
            },
        ),
        migrations.CreateModel(
            name='SurveyResultsViewer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('survey', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='results_viewers', to='peerage_web.survey')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('survey', 'by'), name='results_seen_once')],
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('course', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='peerage_web.course')),
                ('url', models.URLField(max_length=500)),
                ('secret', models.CharField(default=peerage_web.classes.keys.secret_key, editable=False, max_length=64)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['made_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='peerage_web.webhook')),
                ('event', models.CharField(max_length=40)),
                ('body', models.JSONField()),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('next_at', models.DateTimeField(blank=True, db_index=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('taken_at', models.DateTimeField(blank=True, null=True)),
                ('answer', models.CharField(blank=True, max_length=300)),
            ],
            options={
                'ordering': ['made_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Announcement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('course', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='announcements', to='peerage_web.course')),
                ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='announcements', to='peerage_web.assignment')),
                ('audience', models.CharField(choices=[('students', 'All students'), ('missing', 'Students who have not submitted')], default='students', max_length=10)),
                ('title', models.CharField(max_length=200)),
                ('text', models.TextField(max_length=10000)),
                ('recipients', models.PositiveIntegerField(default=0)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('edited_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-made_at', '-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('audience', 'students'), ('assignment__isnull', False), _connector='OR'), name='missing_from_an_assignment')],
            },
        ),
    ]
