#!/bin/bash
# search_logs.sh FILES TERMS FOLDER: one search after the other in the same logs; each is two jobs.
set -e
files=$1 terms=$2 work=$3
mkdir "$work/logs"
for i in $(seq 1 "$files"); do
    seq -f "host$i ERROR%g WARN$i" 1 500 > "$work/logs/host-$i.log"
done
hdfs dfs -mkdir -p /app /found
hdfs dfs -put "$work/logs" /app/logs
for term in $(seq 1 "$terms"); do
    yarn examples grep /app/logs "/found/term-$term" "ERROR$term[0-9]*"
done
hdfs dfs -cat '/found/*/part-r-00000' > "$work/found"
