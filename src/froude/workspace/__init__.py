"""Artifacts on disk: documents, lineage, migrations, and the folder that holds them."""
