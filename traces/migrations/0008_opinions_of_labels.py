import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("traces", "0007_spans_and_sources"),
    ]

    operations = [
        migrations.AddField(
            model_name="opinion",
            name="label",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="opinions",
                to="traces.label",
            ),
        ),
    ]
