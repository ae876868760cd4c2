"""Documents that Froude writes and reads: strict reading, lineage, migrations, the folder that stores them."""
