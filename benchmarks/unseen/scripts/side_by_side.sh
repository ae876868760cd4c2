#!/bin/bash
# side_by_side.sh FILES PAIRS FOLDER: two jobs at once, over small files and over pairs of numbers.
files=$1 pairs=$2 work=$3
mkdir "$work/small"
for i in $(seq 1 "$files"); do
    seq -f "word%g of $i" 1 50 > "$work/small/s$i"
done
for i in $(seq 1 "$pairs"); do
    echo "$((i % 7)) $((i * 31 % 101))"
done > "$work/pairs"
hdfs dfs -put "$work/small" "$work/pairs" / || exit 1
yarn examples multifilewc /small /out-words &
words=$!
yarn examples secondarysort /pairs /out-pairs &
sorted=$!
wait $words && wait $sorted && hdfs dfs -ls /out-words /out-pairs
