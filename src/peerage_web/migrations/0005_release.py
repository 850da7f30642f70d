"""Rankings, released grades, what students say of them, and appeals. Every table whole, after those it points to: that makes an empty database fast."""

import django.db.models.deletion
import peerage_web.classes.grading.models
import peerage_web.classes.keys
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('peerage_web', '0004_grading'),
    ]

    operations = [
        migrations.CreateModel(
            name='Ranking',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rankings', to='peerage_web.assignment')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rankings', to='peerage_web.membership')),
                ('tiers', models.JSONField(default=list)),
                ('version', models.PositiveIntegerField(default=0)),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('saved_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'reviewer'), name='one_ranking_per_reviewer')],
            },
        ),
        migrations.CreateModel(
            name='SubmittedRanking',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ranking', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submitted', to='peerage_web.ranking')),
                ('number', models.PositiveSmallIntegerField()),
                ('tiers', models.JSONField()),
                ('comments', models.JSONField()),
                ('levels', models.JSONField(default=list)),
                ('version', models.PositiveIntegerField()),
                ('receipt', models.CharField(default=peerage_web.classes.keys.secret_key, editable=False, max_length=32, unique=True)),
                ('sha256', models.CharField(max_length=64)),
                ('submitted_at', models.DateTimeField()),
                ('submitted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('is_late', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('ranking', 'number'), name='rankings_are_numbered')],
            },
        ),
        migrations.CreateModel(
            name='RubricCriterion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rubric', to='peerage_web.assignment')),
                ('position', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=100)),
                ('description', models.CharField(blank=True, max_length=1000)),
                ('required', models.BooleanField(default=True)),
            ],
            options={
                'ordering': ['position', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('assignment', 'name'), name='criterion_names_differ')],
            },
        ),
        migrations.CreateModel(
            name='RubricLevel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='levels', to='peerage_web.rubriccriterion')),
                ('position', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=100)),
                ('description', models.CharField(blank=True, max_length=500)),
                ('points', models.FloatField()),
            ],
            options={
                'ordering': ['position', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('criterion', 'name'), name='level_names_differ'), models.CheckConstraint(condition=models.Q(('points__gte', 0)), name='level_points_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='ChosenLevel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('review', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='levels', to='peerage_web.review')),
                ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chosen', to='peerage_web.rubriccriterion')),
                ('level', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='chosen', to='peerage_web.rubriclevel')),
                ('version', models.PositiveIntegerField(default=0)),
                ('saved_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('review', 'criterion'), name='one_level_per_criterion')],
            },
        ),
        migrations.CreateModel(
            name='Comment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('review', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='peerage_web.review')),
                ('prompt', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='comments', to='peerage_web.feedbackprompt')),
                ('text', models.TextField(blank=True)),
                ('version', models.PositiveIntegerField(default=0)),
                ('saved_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('review', 'prompt'), name='one_answer_per_prompt'), models.UniqueConstraint(condition=models.Q(('prompt__isnull', True)), fields=('review',), name='one_answer_in_general')],
            },
        ),
        migrations.CreateModel(
            name='Release',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='releases', to='peerage_web.assignment')),
                ('number', models.PositiveSmallIntegerField()),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='peerage_web.gradingrun')),
                ('shown', models.JSONField(blank=True, default=peerage_web.classes.grading.models.usually_shown)),
                ('why', models.CharField(blank=True, max_length=300)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [models.UniqueConstraint(fields=('assignment', 'number'), name='releases_are_numbered'), models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('assignment',), name='one_release_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='ReleasedGrade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grades', to='peerage_web.release')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='released_grades', to='peerage_web.membership')),
                ('submission', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='peerage_web.submission')),
                ('points', models.FloatField(blank=True, null=True)),
                ('points_low', models.FloatField(blank=True, null=True)),
                ('points_high', models.FloatField(blank=True, null=True)),
                ('letter', models.CharField(blank=True, max_length=20)),
                ('by_hand', models.BooleanField(default=False)),
                ('late_penalty', models.FloatField(default=0)),
                ('reviewing', models.FloatField(blank=True, null=True)),
                ('reviewing_parts', models.JSONField(default=dict)),
                ('total', models.FloatField(blank=True, null=True)),
                ('seen_at', models.DateTimeField(blank=True, null=True)),
                ('notified_at', models.DateTimeField(blank=True, db_index=True, null=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('release', 'membership'), name='released_once_per_student')],
            },
        ),
        migrations.CreateModel(
            name='PreparedFeedback',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('grade', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='prepared', to='peerage_web.releasedgrade')),
                ('content', models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name='Helpfulness',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('review', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='helpfulness', to='peerage_web.review')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='peerage_web.membership')),
                ('rating', models.PositiveSmallIntegerField()),
                ('at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('review', 'by'), name='rated_once_per_author'), models.CheckConstraint(condition=models.Q(('rating__gte', 1), ('rating__lte', 5)), name='rating_from_1_to_5')],
            },
        ),
        migrations.CreateModel(
            name='CommentReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('review', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='comment_report', to='peerage_web.review')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='peerage_web.membership')),
                ('text', models.CharField(blank=True, max_length=1000)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='HiddenComment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('comment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hidden', to='peerage_web.comment')),
                ('reason', models.CharField(max_length=300)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('shown_again_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['at', 'pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('shown_again_at__isnull', True)), fields=('comment',), name='hidden_once')],
            },
        ),
        migrations.CreateModel(
            name='Appeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=peerage_web.classes.keys.short_key, editable=False, max_length=16, unique=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='appeals', to='peerage_web.assignment')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='appeals', to='peerage_web.membership')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='appeals', to='peerage_web.submission')),
                ('release', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='appeals', to='peerage_web.release')),
                ('reason', models.TextField(max_length=5000)),
                ('opened_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('opened_at', models.DateTimeField(auto_now_add=True)),
                ('state', models.CharField(choices=[('open', 'waiting for an answer'), ('accepted', 'accepted'), ('declined', 'declined'), ('withdrawn', 'taken back by the student')], default='open', max_length=10)),
                ('staff_grade', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='appeals', to='peerage_web.staffgrade')),
                ('proposed_points', models.FloatField(blank=True, null=True)),
                ('proposed_reason', models.CharField(blank=True, max_length=1000)),
                ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('regrades', models.BooleanField(default=False)),
                ('proposed_answer', models.TextField(blank=True, max_length=5000)),
                ('previewed_at', models.DateTimeField(blank=True, null=True)),
                ('preview', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='appeals', to='peerage_web.gradingrun')),
                ('answer', models.TextField(blank=True, max_length=5000)),
                ('answered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['opened_at', 'pk'],
                'indexes': [models.Index(fields=['assignment', 'state'], name='appeals_by_state')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('membership', 'submission'), name='one_open_appeal_per_student'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'open'), models.Q(('ended_at__isnull', False), _negated=True)), models.Q(models.Q(('state', 'open'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='ended_appeal_says_when')],
            },
        ),
        migrations.CreateModel(
            name='Reply',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='reply', to='peerage_web.submission')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='replies', to='peerage_web.membership')),
                ('text', models.TextField(blank=True, max_length=5000)),
                ('written_at', models.DateTimeField(auto_now_add=True)),
                ('reported_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='peerage_web.membership')),
                ('reported_at', models.DateTimeField(blank=True, null=True)),
                ('report', models.CharField(blank=True, max_length=1000)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('hidden_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('hidden_at', models.DateTimeField(blank=True, null=True)),
                ('hidden_reason', models.CharField(blank=True, max_length=300)),
            ],
        ),
        migrations.CreateModel(
            name='SelfReview',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='self_reviews', to='peerage_web.submission')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='self_reviews', to='peerage_web.membership')),
                ('rank', models.PositiveSmallIntegerField()),
                ('ranks', models.PositiveSmallIntegerField()),
                ('comment', models.TextField(blank=True, max_length=10000)),
                ('saved_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('submission', 'membership'), name='one_self_review_per_author'), models.CheckConstraint(condition=models.Q(('rank__gte', 1), ('rank__lte', models.F('ranks'))), name='self_review_has_a_rank')],
            },
        ),
    ]
