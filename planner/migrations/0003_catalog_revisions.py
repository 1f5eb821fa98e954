"""A revision for every record of the catalog, and columns that its lists filter and sort by."""

from django.db import migrations, models


def _laid(shipped, edited):
    """As planner.models.catalog.merged was when this migration was written."""
    result = dict(shipped)
    for name, value in edited.items():
        under = result.get(name)
        if isinstance(value, dict) and isinstance(under, dict) and "kind" not in value:
            result[name] = _laid(under, value)
        else:
            result[name] = value
    return result


def _value(record, name):
    return (record["figures"].get(name) or {}).get("value")


COLUMNS = {
    "Accelerator": lambda record: {"tdp_w": _value(record, "tdp_w")},
    "Platform": lambda record: {"cards": sum(part["count"] for part in record["accelerators"])},
    "ModelShape": lambda record: {
        "experts": "moe" in record["figures"],
        "edge": record["edge"],
        "context_tokens": (_value(record, "context") or {}).get("max_position_embeddings"),
    },
    "WeightScheme": lambda record: {"bytes_per_weight": record["bytes_per_weight"]},
}


def fill(apps, _schema_editor):
    for name, columns in COLUMNS.items():
        for row in apps.get_model("planner", name).objects.iterator():
            found = columns(_laid(row.shipped or {}, row.edited or {}))
            for column, value in found.items():
                setattr(row, column, value)
            row.save(update_fields=list(found))


class Migration(migrations.Migration):

    dependencies = [
        ('planner', '0002_plans_and_prices'),
    ]

    operations = [
        migrations.AddField(
            model_name='accelerator',
            name='revision',
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.AddField(
            model_name='accelerator',
            name='tdp_w',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='acceleratormapping',
            name='revision',
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.AddField(
            model_name='catalogdocument',
            name='revision',
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.AddField(
            model_name='enginetable',
            name='revision',
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.AddField(
            model_name='modelshape',
            name='context_tokens',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='modelshape',
            name='edge',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='modelshape',
            name='experts',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='modelshape',
            name='revision',
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.AddField(
            model_name='platform',
            name='cards',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='platform',
            name='revision',
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.AddField(
            model_name='weightscheme',
            name='bytes_per_weight',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='weightscheme',
            name='revision',
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
