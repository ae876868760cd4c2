#!/bin/bash
# count_words.sh FILES REDUCERS FOLDER: the words of some texts.
set -e
files=$1 reducers=$2 work=$3
mkdir "$work/books"
for i in $(seq 1 "$files"); do
    seq -f "chapter %g of book $i" 1 $((i * 300)) > "$work/books/book-$i.txt"
done
hdfs dfs -put "$work/books" /books
yarn examples wordcount -D "mapreduce.job.reduces=$reducers" /books /words
hdfs dfs -getmerge /words "$work/words"
