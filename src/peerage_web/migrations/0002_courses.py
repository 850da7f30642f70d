"""Courses, the people in them, assignments and the activity log. Every table whole, after those it points to: that makes an empty database fast."""

import django.db.models.deletion
import django.utils.timezone
import peerage_web.classes.assignments.models
import peerage_web.classes.keys
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('peerage_web', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Course',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=peerage_web.classes.keys.short_key, editable=False, max_length=16, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('term', models.CharField(blank=True, max_length=60)),
                ('time_zone', models.CharField(default='UTC', max_length=60)),
                ('language', models.CharField(blank=True, max_length=10)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='courses_created', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('hidden_at', models.DateTimeField(blank=True, null=True)),
                ('delete_at', models.DateTimeField(blank=True, null=True)),
                ('keep_months', models.PositiveSmallIntegerField(default=0)),
                ('most_bytes', models.PositiveBigIntegerField(blank=True, null=True)),
                ('digest_until', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('prefix', models.CharField(max_length=12, unique=True)),
                ('hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('course', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='peerage_web.course')),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('may_write', models.BooleanField(default=True)),
            ],
            options={
                'ordering': ['created_at'],
                'constraints': [models.CheckConstraint(condition=models.Q(('course__isnull', True), ('made_by__isnull', False), _connector='OR'), name='token_of_a_course_has_a_author'), models.UniqueConstraint(condition=models.Q(('course__isnull', True)), fields=('name',), name='names_of_the_services_tokens_differ'), models.UniqueConstraint(condition=models.Q(('course__isnull', False)), fields=('course', 'name'), name='names_of_a_courses_tokens_differ')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('course', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='peerage_web.course')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('role', models.CharField(choices=[('instructor', 'Instructor'), ('assistant', 'Assistant'), ('student', 'Student'), ('observer', 'Observer'), ('dropped', 'Dropped')], max_length=10)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('student_id', models.CharField(blank=True, max_length=100)),
                ('section', models.CharField(blank=True, max_length=100)),
                ('group', models.CharField(blank=True, max_length=100)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('invited_at', models.DateTimeField(blank=True, null=True)),
                ('dropped_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['name', 'pk'],
                'indexes': [models.Index(fields=['course', 'role'], name='members_by_role')],
                'constraints': [models.UniqueConstraint(fields=('course', 'person'), name='in_a_course_once'), models.UniqueConstraint(condition=models.Q(('student_id', ''), _negated=True), fields=('course', 'student_id'), name='one_student_per_id'), models.CheckConstraint(condition=models.Q(('role__in', ['instructor', 'assistant', 'student', 'observer', 'dropped'])), name='role_known'), models.CheckConstraint(condition=models.Q(models.Q(('role', 'dropped'), models.Q(('dropped_at__isnull', True), _negated=True)), models.Q(models.Q(('role', 'dropped'), _negated=True), ('dropped_at__isnull', True)), _connector='OR'), name='dropped_says_when')],
            },
        ),
        migrations.CreateModel(
            name='RosterImport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=peerage_web.classes.keys.secret_key, editable=False, max_length=32, unique=True)),
                ('course', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='roster_imports', to='peerage_web.course')),
                ('uploaded_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('file_name', models.CharField(max_length=200)),
                ('columns', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=peerage_web.classes.keys.short_key, editable=False, max_length=16, unique=True)),
                ('course', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='peerage_web.course')),
                ('title', models.CharField(max_length=200)),
                ('instructions', models.TextField(blank=True)),
                ('in_teams', models.BooleanField(default=False)),
                ('copied_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='peerage_web.assignment')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('phase', models.CharField(choices=[('setup', 'Set-up'), ('submitting', 'Submission'), ('allocating', 'Allocation'), ('reviewing', 'Review'), ('closed', 'Closed'), ('released', 'Released')], default='setup', max_length=12)),
                ('phase_since', models.DateTimeField(blank=True, null=True)),
                ('by_date', models.BooleanField(default=True)),
                ('allocates_itself', models.BooleanField(default=False)),
                ('opens_at', models.DateTimeField(blank=True, null=True)),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('late_until', models.DateTimeField(blank=True, null=True)),
                ('grace_minutes', models.PositiveSmallIntegerField(default=10)),
                ('reviews_due_at', models.DateTimeField(blank=True, null=True)),
                ('release_at', models.DateTimeField(blank=True, null=True)),
                ('remind_hours', models.PositiveSmallIntegerField(default=24)),
                ('file_kinds', models.JSONField(default=peerage_web.classes.assignments.models.all_kinds)),
                ('most_bytes', models.PositiveBigIntegerField(default=20971520)),
                ('most_files', models.PositiveSmallIntegerField(default=3)),
                ('reviews_per_student', models.PositiveSmallIntegerField(default=5)),
                ('reviews_per_staff', models.PositiveSmallIntegerField(default=0)),
                ('design', models.CharField(choices=[('spread', 'Spread: as many different pairs as possible are compared (recommended)'), ('random', 'Random: every submission gets the same number of reviews, nothing more'), ('calibrated', 'Calibrated: everybody reviews one of a few submissions that staff also review'), ('staff', 'Staff: staff reviews link the rankings of the whole class')], default='spread', max_length=12)),
                ('anchors', models.PositiveSmallIntegerField(default=5)),
                ('sections', models.CharField(choices=[('pooled', 'Review across sections'), ('apart', 'Review within each section')], default='pooled', max_length=8)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('ties_allowed', models.BooleanField(default=True)),
                ('counts_saved', models.BooleanField(default=True)),
                ('min_comment_words', models.PositiveSmallIntegerField(default=0)),
                ('self_review', models.BooleanField(default=False)),
                ('review_weight', models.PositiveSmallIntegerField(default=20)),
                ('practice', models.CharField(choices=[('none', 'No practice round'), ('offered', 'Optional'), ('required', 'Required')], default='none', max_length=10)),
            ],
            options={
                'ordering': ['due_at', 'pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('phase__in', ['setup', 'submitting', 'allocating', 'reviewing', 'closed', 'released'])), name='phase_known'), models.CheckConstraint(condition=models.Q(('review_weight__lte', 100)), name='review_weight_is_a_share'), models.CheckConstraint(condition=models.Q(('late_until__isnull', True), ('late_until__gte', models.F('due_at')), _connector='OR'), name='late_window_after_due'), models.CheckConstraint(condition=models.Q(('reviews_due_at__isnull', True), ('reviews_due_at__gt', models.F('due_at')), _connector='OR'), name='reviews_due_after_submissions')],
            },
        ),
        migrations.CreateModel(
            name='FeedbackPrompt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='prompts', to='peerage_web.assignment')),
                ('position', models.PositiveSmallIntegerField()),
                ('text', models.CharField(max_length=500)),
                ('required', models.BooleanField(default=False)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['position', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Extension',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='extensions', to='peerage_web.assignment')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='extensions', to='peerage_web.membership')),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('reviews_due_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('granted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('granted_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'membership'), name='one_extension_per_student'), models.CheckConstraint(condition=models.Q(('due_at__isnull', False), ('reviews_due_at__isnull', False), _connector='OR'), name='extension_extends')],
            },
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='peerage_web.assignment')),
                ('name', models.CharField(max_length=100)),
            ],
            options={
                'ordering': ['name', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('assignment', 'name'), name='team_names_differ')],
            },
        ),
        migrations.CreateModel(
            name='TeamMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='team_members', to='peerage_web.assignment')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='peerage_web.team')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='team_places', to='peerage_web.membership')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'membership'), name='in_one_team')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('course', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='peerage_web.course')),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='events', to='peerage_web.assignment')),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='events', to=settings.AUTH_USER_MODEL)),
                ('subject', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='events_about', to='peerage_web.membership')),
                ('verb', models.CharField(max_length=40)),
                ('data', models.JSONField(default=dict)),
                ('at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['-at', '-pk'],
                'indexes': [models.Index(fields=['course', '-at'], name='events_of_a_course')],
            },
        ),
    ]
