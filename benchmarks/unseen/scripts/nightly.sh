#!/bin/bash
# nightly.sh DAYS FILES FOLDER: each day's files are uploaded and counted, then the counts of all days together.
set -e
days=$1 files=$2 work=$3
hdfs dfs -mkdir -p /in /counts
for d in $(seq 1 "$days"); do
    day=$(date -u -d "2026-11-28 + $d days" +%Y-%m-%d)
    mkdir "$work/$day"
    for i in $(seq 1 "$files"); do
        seq -f "visit page%g" 1 $((d * 100)) > "$work/$day/visits-$i"
    done
    hdfs dfs -put "$work/$day" /in
    yarn examples wordcount "/in/$day" "/counts/.$day"
    hdfs dfs -mv "/counts/.$day" "/counts/$day"
done
yarn examples aggregatewordcount '/counts/*/part-r-*' /total 1 textinputformat
hdfs dfs -cp /total/part-r-00000 /latest
