#!/bin/bash
# join_tables.sh PARTS TABLES FOLDER: joins tables that are cut and sorted by the same keys.
set -e
parts=$1 tables=$2 work=$3
paths=()
for t in $(seq 1 "$tables"); do
    mkdir "$work/table-$t"
    for p in $(seq 1 "$parts"); do
        seq -f "k$p-%05.0f	t$t" 1 200 > "$work/table-$t/part-$(printf %05d "$p")"
    done
    hdfs dfs -put "$work/table-$t" /
    paths+=("/table-$t")
done
yarn examples join -inFormat org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat \
    -outKey org.apache.hadoop.io.Text -joinOp inner "${paths[@]}" /joined
hdfs dfs -rm -r -skipTrash "${paths[@]}"
