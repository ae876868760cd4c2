#!/bin/bash
# copy_folders.sh FOLDERS FILES FOLDER: copies folders by DistCp, then what has been added to the first since.
set -e
folders=$1 files=$2 work=$3
for f in $(seq 1 "$folders"); do
    mkdir -p "$work/source/f$f"
    for i in $(seq 1 "$files"); do
        head -c $((i * 200000)) /dev/zero > "$work/source/f$f/data-$i"
    done
done
hdfs dfs -put "$work/source" /source
yarn distcp -m "$folders" /source /mirror
hdfs dfs -put "$work/source/f1/data-1" /source/f1/late
yarn distcp -update -m 1 /source /mirror
hdfs dfs -count /source /mirror
