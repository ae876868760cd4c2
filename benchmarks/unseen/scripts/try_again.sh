#!/bin/bash
# try_again.sh FILES FLAKY FOLDER: a streaming job, some maps of which fail and are tried again.
set -e
files=$1 flaky=$2 work=$3
mkdir "$work/input"
for i in $(seq 1 "$files"); do
    seq 1 $((i * 100)) > "$work/input/n$i"
done
hdfs dfs -put "$work/input" /numbers
yarn streaming -D mapreduce.job.reduces=1 -files "$(dirname "$0")/flaky_mapper.sh" -cmdenv "FLAKY=$flaky" \
    -input /numbers -output /lines -mapper "bash flaky_mapper.sh" -reducer "sort"
hdfs dfs -cat /lines/part-00000
