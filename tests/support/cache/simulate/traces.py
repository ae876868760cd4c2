"""Block traces in the layouts of MQSim and MSR Cambridge."""

from __future__ import annotations

MQSIM = "1000000000 0 16 8 1\n2000000000 3 0 1 0\n"
MSR = "128166372003061629,usr,0,Read,7014609920,24576,41286\n128166372013061629,usr,1,Write,512,1024,5\n"
