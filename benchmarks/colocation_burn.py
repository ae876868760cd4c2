"""What a batch container runs: so much CPU, at the speed of one virtual core at most.

python colocation_burn.py CPU_SECONDS CORES CGROUP
"""

import os
import sys
import time

cpu_s, cores, cgroup = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
with open(f"{cgroup}/cgroup.procs", "w") as group:  # noqa: PTH123 - starts sooner without pathlib
    group.write(str(os.getpid()))
begun, done = time.monotonic(), time.process_time()
end = done + cpu_s
while (now := time.process_time()) < end:
    until = now + 0.002
    while time.process_time() < until:
        pass
    # As far as one core had come by now; where others take the CPU, there is no sleep.
    ahead = (time.process_time() - done) / cores - (time.monotonic() - begun)
    if ahead > 0:
        time.sleep(ahead)
