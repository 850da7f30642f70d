"""Grading plans, staff grades and runs. Every table whole, after those it points to: that makes an empty database fast."""

import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import peerage_web.classes.grading.models
import peerage_web.classes.keys
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('peerage_web', '0003_submissions'),
    ]

    operations = [
        migrations.CreateModel(
            name='GradingPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='grading_plan', to='peerage_web.assignment')),
                ('method', models.CharField(blank=True, max_length=40)),
                ('scale_low', models.FloatField(default=0)),
                ('scale_high', models.FloatField(default=100)),
                ('points_rule', models.CharField(choices=[('staff', 'Staff grades (recommended): staff grade at least three submissions, and the others follow'), ('curve', 'A curve: you choose the mean and the standard deviation of the class'), ('quotas', 'Quotas: fixed shares of the class get each letter; there are no points'), ('complete', 'Complete or incomplete: every submission that was reviewed is complete; there are no points'), ('standing', 'Standing only: where a submission stands in the class; no points, no letters')], default='staff', max_length=8)),
                ('curve_mean', models.FloatField(default=75)),
                ('curve_sd', models.FloatField(default=10)),
                ('letters', models.CharField(blank=True, max_length=300)),
                ('shown', models.JSONField(blank=True, default=peerage_web.classes.grading.models.usually_shown)),
                ('completeness_weight', models.PositiveSmallIntegerField(default=50)),
                ('helpfulness_weight', models.PositiveSmallIntegerField(default=0)),
                ('missing_get', models.CharField(choices=[('nothing', 'no points'), ('lowest', 'the minimum points')], default='nothing', max_length=8)),
                ('late_penalty', models.FloatField(default=0)),
                ('late_penalty_most', models.FloatField(blank=True, null=True)),
                ('rubric_counts', models.BooleanField(default=False)),
                ('rates_helpfulness', models.BooleanField(default=True)),
                ('appeal_days', models.PositiveSmallIntegerField(default=7)),
                ('appeals_each', models.PositiveSmallIntegerField(default=1)),
                ('has_survey', models.BooleanField(default=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('scale_low__lt', models.F('scale_high'))), name='scale_goes_up'), models.CheckConstraint(condition=models.Q(('completeness_weight__lte', django.db.models.expressions.CombinedExpression(models.Value(100), '-', models.F('helpfulness_weight')))), name='reviewing_weights_are_shares'), models.CheckConstraint(condition=models.Q(('late_penalty__gte', 0), models.Q(('late_penalty_most__isnull', True), ('late_penalty_most__gt', 0), _connector='OR')), name='late_penalty_takes_points')],
            },
        ),
        migrations.CreateModel(
            name='StaffGrade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='staff_grades', to='peerage_web.submission')),
                ('points', models.FloatField()),
                ('reason', models.CharField(blank=True, max_length=1000)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['at', 'pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at__isnull', True)), fields=('submission', 'by'), name='one_staff_grade_each')],
            },
        ),
        migrations.CreateModel(
            name='StaffRanking',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='staff_rankings', to='peerage_web.assignment')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tiers', models.JSONField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='GradingRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=peerage_web.classes.keys.short_key, editable=False, max_length=16, unique=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grading_runs', to='peerage_web.assignment')),
                ('number', models.PositiveSmallIntegerField()),
                ('purpose', models.CharField(choices=[('grades', 'grades of the assignment'), ('appeal', 'a look at what an appeal would change')], default='grades', max_length=8)),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='grading_run', to='peerage_web.job')),
                ('inputs_sha256', models.CharField(max_length=64)),
                ('options', models.JSONField(default=dict)),
                ('plan', models.JSONField(default=dict)),
                ('version', models.CharField(max_length=40)),
                ('method', models.CharField(blank=True, max_length=40)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('drawn_at', models.DateTimeField(blank=True, null=True)),
                ('approved_at', models.DateTimeField(blank=True, null=True)),
                ('approved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [models.UniqueConstraint(fields=('assignment', 'number'), name='runs_are_numbered'), models.CheckConstraint(condition=models.Q(('approved_at__isnull', True), models.Q(('drawn_at__isnull', False), ('purpose', 'grades')), _connector='OR'), name='approved_runs_are_done')],
            },
        ),
        migrations.CreateModel(
            name='RunGrade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grades', to='peerage_web.gradingrun')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='run_grades', to='peerage_web.submission')),
                ('rank', models.PositiveIntegerField()),
                ('rank_low', models.PositiveIntegerField()),
                ('rank_high', models.PositiveIntegerField()),
                ('percentile', models.FloatField(blank=True, null=True)),
                ('percentile_low', models.FloatField(blank=True, null=True)),
                ('percentile_high', models.FloatField(blank=True, null=True)),
                ('points', models.FloatField(blank=True, null=True)),
                ('points_low', models.FloatField(blank=True, null=True)),
                ('points_high', models.FloatField(blank=True, null=True)),
                ('letter', models.CharField(blank=True, max_length=20)),
                ('letter_chance', models.FloatField(blank=True, null=True)),
                ('reviews', models.PositiveIntegerField(default=0)),
                ('staff', models.FloatField(blank=True, null=True)),
                ('attention', models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                'ordering': ['rank', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('run', 'submission'), name='a_submission_once_per_run')],
            },
        ),
        migrations.CreateModel(
            name='RunReviewer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reviewers', to='peerage_web.gradingrun')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='run_reviews', to='peerage_web.membership')),
                ('asked', models.PositiveIntegerField(default=0)),
                ('given', models.PositiveIntegerField(default=0)),
                ('reliability', models.FloatField(blank=True, null=True)),
                ('reliability_low', models.FloatField(blank=True, null=True)),
                ('reliability_high', models.FloatField(blank=True, null=True)),
                ('agreement', models.FloatField(blank=True, null=True)),
                ('flag', models.CharField(blank=True, max_length=40)),
                ('flag_text', models.CharField(blank=True, max_length=500)),
                ('quality', models.FloatField(blank=True, null=True)),
                ('completeness', models.FloatField(blank=True, null=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('run', 'membership'), name='a_reviewer_once_per_run')],
            },
        ),
        migrations.CreateModel(
            name='Override',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='overrides', to='peerage_web.submission')),
                ('membership', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='overrides', to='peerage_web.membership')),
                ('points', models.FloatField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(-1000000.0), django.core.validators.MaxValueValidator(1000000.0)])),
                ('letter', models.CharField(blank=True, max_length=20)),
                ('reason', models.CharField(max_length=1000)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['at', 'pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('membership__isnull', False), ('withdrawn_at__isnull', True)), fields=('submission', 'membership'), name='one_override_per_member'), models.UniqueConstraint(condition=models.Q(('membership__isnull', True), ('withdrawn_at__isnull', True)), fields=('submission',), name='one_override_per_submission'), models.CheckConstraint(condition=models.Q(('points__isnull', False), models.Q(('letter', ''), _negated=True), _connector='OR'), name='override_says_something')],
            },
        ),
    ]
