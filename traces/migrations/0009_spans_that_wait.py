"""What the OTLP door keeps on receipts, and how spans lie while they wait."""

from django.db import migrations, models

# A waiting span lives for seconds: compressing it, or moving it out of its row, costs more than
# it saves. Rows of up to 8 kB stay as they came.
AS_THEY_COME = """
    ALTER TABLE traces_rawspan ALTER COLUMN content SET STORAGE EXTERNAL;
    ALTER TABLE traces_rawspan SET (toast_tuple_target = 8160);
"""
AS_BEFORE = """
    ALTER TABLE traces_rawspan ALTER COLUMN content SET STORAGE EXTENDED;
    ALTER TABLE traces_rawspan RESET (toast_tuple_target);
"""


class Migration(migrations.Migration):
    dependencies = [("traces", "0008_opinions_of_labels")]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="waiting",
            field=models.IntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="receipt",
            name="withheld",
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.RunSQL(AS_THEY_COME, AS_BEFORE),
    ]
