#!/bin/bash
# teams.sh TEAMS MEMBERS FOLDER: folders, owners, permissions and quotas of each team and its members.
set -e
teams=$1 members=$2 work=$3
echo "export TEAM=1" > "$work/profile"
hdfs dfs -mkdir -p /teams /user
hdfs dfs -chmod 755 /teams /user
for t in $(seq 1 "$teams"); do
    team=$(printf 'team-%02d' "$t")
    homes=()
    for m in $(seq 1 "$members"); do
        homes+=("/user/${team}_m$m")
    done
    hdfs dfs -mkdir -p "/teams/$team/shared" "/teams/$team/private" "${homes[@]}"
    for home in "${homes[@]}"; do
        hdfs dfs -put "$work/profile" "$home/.profile"
    done
    hdfs dfs -chown -R "lead$t:$team" "/teams/$team" "${homes[@]}"
    hdfs dfs -chmod 770 "/teams/$team/shared" "/teams/$team/private"
    if [ $((t % 2)) = 1 ]; then
        hdfs dfs -setfacl -m "group:audit:r-x" "/teams/$team/shared"
    fi
    hdfs dfsadmin -setQuota $((1000 * t)) "/teams/$team"
    hdfs dfsadmin -setSpaceQuota $((members * 10))g "/teams/$team"
done
hdfs dfs -count -q /teams/*
