#!/bin/bash
# backup.sh ROUNDS FILES FOLDER: a snapshot a day, copied away every second day; the newest three are kept.
set -e
rounds=$1 files=$2 work=$3
day() { date -u -d "2026-02-25 + $1 days" +%Y%m%d; }

hdfs dfs -mkdir -p /data/current /backup
hdfs dfsadmin -allowSnapshot /data
for round in $(seq 1 "$rounds"); do
    today=$(day "$round")
    for i in $(seq 1 "$files"); do
        head -c $((i * 400000)) /dev/zero > "$work/${today}_$i.dat"
    done
    hdfs dfs -D dfs.blocksize=1048576 -put "$work/${today}"_*.dat /data/current
    hdfs dfs -createSnapshot /data "s$today"
    if [ $((round % 2)) = 0 ]; then
        hdfs dfs -cp -p "/data/.snapshot/s$today/current" "/backup/$today"
    fi
    if [ "$round" -gt 3 ]; then
        hdfs dfs -deleteSnapshot /data "s$(day $((round - 3)))"
    fi
done
hdfs dfs -ls /data/.snapshot
hdfs dfs -rm -r -skipTrash /data/current
