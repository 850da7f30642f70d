"""When a student was told of a released grade."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("peerage_web", "0005_grades_and_release"),
    ]

    operations = [
        migrations.AddField(
            model_name="releasedgrade",
            name="told_at",
            field=models.DateTimeField(blank=True, db_index=True, null=True),
        ),
    ]
