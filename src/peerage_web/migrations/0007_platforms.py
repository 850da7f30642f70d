"""Learning platforms. Every table whole, after those it points to: that makes an empty database fast."""

import django.db.models.deletion
import peerage_web.classes.keys
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('peerage_web', '0006_around_reviews'),
    ]

    operations = [
        migrations.CreateModel(
            name='LtiRegistration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=peerage_web.classes.keys.short_key, editable=False, max_length=16, unique=True)),
                ('name', models.CharField(max_length=100)),
                ('issuer', models.CharField(max_length=255)),
                ('client_id', models.CharField(max_length=255)),
                ('auth_url', models.CharField(max_length=500)),
                ('token_url', models.CharField(max_length=500)),
                ('token_audience', models.CharField(blank=True, max_length=500)),
                ('jwks_url', models.CharField(max_length=500)),
                ('more_origins', models.JSONField(blank=True, default=list)),
                ('jwks', models.JSONField(default=dict)),
                ('jwks_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('calls_after', models.DateTimeField(blank=True, null=True)),
                ('problem', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'ordering': ['name', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('issuer', 'client_id'), name='one_registration_per_client')],
            },
        ),
        migrations.CreateModel(
            name='LtiDeployment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('registration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deployments', to='peerage_web.ltiregistration')),
                ('deployment_id', models.CharField(max_length=255)),
                ('first_seen_at', models.DateTimeField(auto_now_add=True)),
                ('approved_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('registration', 'deployment_id'), name='deployments_differ')],
            },
        ),
        migrations.CreateModel(
            name='LtiInvitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hash', models.CharField(max_length=64, unique=True)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('registration', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='peerage_web.ltiregistration')),
            ],
        ),
        migrations.CreateModel(
            name='LtiKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kid', models.CharField(max_length=64, unique=True)),
                ('public', models.JSONField()),
                ('private', models.TextField()),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('signs_from', models.DateTimeField()),
                ('shown_until', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-signs_from', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='LtiContext',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('deployment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contexts', to='peerage_web.ltideployment')),
                ('context_id', models.CharField(max_length=255)),
                ('title', models.CharField(blank=True, max_length=200)),
                ('course', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='lti_contexts', to='peerage_web.course')),
                ('memberships_url', models.CharField(blank=True, max_length=1000)),
                ('line_items_url', models.CharField(blank=True, max_length=1000)),
                ('scopes', models.JSONField(default=list)),
                ('page_url', models.CharField(blank=True, max_length=1000)),
                ('synced_at', models.DateTimeField(blank=True, null=True)),
                ('has_two_columns', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('deployment', 'context_id'), name='lti_contexts_differ')],
            },
        ),
        migrations.CreateModel(
            name='LtiLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('context', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links', to='peerage_web.lticontext')),
                ('link_id', models.CharField(max_length=255)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lti_links', to='peerage_web.assignment')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('context', 'link_id'), name='lti_links_differ')],
            },
        ),
        migrations.CreateModel(
            name='LtiPlace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('context', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='peerage_web.lticontext')),
                ('subject', models.CharField(max_length=255)),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lti_places', to='peerage_web.membership')),
                ('platform_role', models.CharField(blank=True, max_length=10)),
                ('is_from_roster', models.BooleanField(default=False)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('context', 'subject'), name='one_lti_place_each'), models.UniqueConstraint(fields=('context', 'membership'), name='one_lti_subject_each')],
            },
        ),
        migrations.CreateModel(
            name='LtiLogin',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state_hash', models.CharField(max_length=64, unique=True)),
                ('nonce_hash', models.CharField(blank=True, max_length=64)),
                ('registration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='peerage_web.ltiregistration')),
                ('storage', models.CharField(blank=True, max_length=100)),
                ('asked', models.JSONField(default=dict)),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='LtiTicket',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hash', models.CharField(max_length=64, unique=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('path', models.CharField(max_length=300)),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='LtiPicking',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=peerage_web.classes.keys.secret_key, editable=False, max_length=32, unique=True)),
                ('context', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='peerage_web.lticontext')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('subject', models.CharField(max_length=255)),
                ('return_url', models.CharField(blank=True, max_length=1000)),
                ('data', models.TextField(blank=True)),
                ('takes_line_item', models.BooleanField(default=True)),
                ('link_id', models.CharField(blank=True, max_length=255)),
                ('link_title', models.CharField(blank=True, max_length=200)),
                ('grades', models.JSONField(default=dict)),
                ('custom', models.JSONField(default=dict)),
                ('framed', models.BooleanField(default=True)),
                ('language', models.CharField(blank=True, max_length=10)),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='LtiLineItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('context', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='line_items', to='peerage_web.lticontext')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lti_line_items', to='peerage_web.assignment')),
                ('kind', models.CharField(choices=[('submission', 'the submission, or the total grade where it is the only column'), ('reviewing', 'the reviewing')], max_length=10)),
                ('url', models.CharField(blank=True, max_length=1000)),
                ('link_id', models.CharField(blank=True, max_length=255)),
                ('maximum', models.FloatField(default=100)),
                ('adjusted_for', models.CharField(blank=True, max_length=1030)),
                ('unadjusted', models.CharField(blank=True, max_length=500)),
                ('release', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='peerage_web.release')),
                ('is_current', models.BooleanField(default=False)),
                ('filled_at', models.DateTimeField(blank=True, null=True)),
                ('checked_at', models.DateTimeField(blank=True, null=True)),
                ('problem', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('context', 'assignment', 'kind'), name='one_column_each')],
            },
        ),
        migrations.CreateModel(
            name='LtiScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('line_item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='peerage_web.ltilineitem')),
                ('place', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='peerage_web.ltiplace')),
                ('release', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='peerage_web.release')),
                ('given', models.FloatField(blank=True, null=True)),
                ('maximum', models.FloatField()),
                ('comment', models.CharField(blank=True, max_length=100)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('held', 'held: the grade was changed on the platform'), ('sent', 'arrived'), ('replaced', 'a newer one took its place'), ('kept', "staff left the platform's grade as it is"), ('refused', 'the platform refused it')], default='waiting', max_length=8)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('timestamp', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('is_open', models.BooleanField(default=False)),
                ('not_before', models.DateTimeField()),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('found', models.FloatField(blank=True, null=True)),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('problem', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['not_before', 'id'], name='lti_scores_waiting'), models.Index(fields=['line_item', 'place', '-id'], name='lti_scores_of_somebody')],
            },
        ),
    ]
