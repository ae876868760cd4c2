"""Storage to run on: a folder, a block device behind a guard, a served address; and fio that runs there."""
