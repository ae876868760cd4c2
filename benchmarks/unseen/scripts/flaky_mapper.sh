#!/bin/bash
# Counts the lines of its split; the maps of the first FLAKY splits fail at their first attempt.
lines=$(wc -l)
attempt=${mapreduce_task_attempt_id##*_}
if [ "$attempt" = 0 ] && [ "$mapreduce_task_partition" -lt "$FLAKY" ]; then
    exit 1
fi
printf 'lines\t%s\n' "$lines"
