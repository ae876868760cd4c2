#!/bin/bash
# sort_rows.sh ROWS MAPS REDUCERS: makes rows, sorts and checks them.
set -e
yarn examples teragen -D "mapreduce.job.maps=$2" "$1" /tera/in
yarn examples terasort -D "mapreduce.job.reduces=$3" /tera/in /tera/out
yarn examples teravalidate /tera/out /tera/report
hdfs dfs -rm -r -skipTrash /tera/in
