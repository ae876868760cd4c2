#!/bin/bash
# put_and_move.sh CLIENTS FILES FOLDER: clients side by side upload a folder under a hidden name and then show it.
clients=$1 files=$2 work=$3
hdfs dfs -mkdir -p /incoming || exit 1
jobs=()
for c in $(seq 1 "$clients"); do
    mkdir -p "$work/client-$c"
    for f in $(seq 1 "$files"); do
        head -c $((700000 * (1 + f % 3))) /dev/zero > "$work/client-$c/part-$f"
    done
    (hdfs dfs -D dfs.blocksize=1048576 -put "$work/client-$c" "/incoming/.client-$c" &&
        hdfs dfs -mv "/incoming/.client-$c" "/incoming/client-$c") &
    jobs+=($!)
done
for job in "${jobs[@]}"; do
    wait "$job" || exit 1
done
hdfs dfs -touchz /incoming/_SUCCESS
