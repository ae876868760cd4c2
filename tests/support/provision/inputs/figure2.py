"""Figure 2 of the scc paper, its elisions included: hardware and application are read as they stand there."""

SLA = """<sla task="worker" rate="0.2"> </sla>
"""
PHOTO_SLA = """<sla task="photoview" rate="300"> </sla>
<sla task="photoupload" rate="100"> </sla>
<sla task="tagview" rate="100"> </sla>
"""
RESOURCES = """<resources>
<storage_unit name="7.2KDisk" capacity="500GB" bus="SAS"
rateR="90MBps" gapR="8ms" rateW="90MBps" gapW="8ms"
volatile="0" price="200" power="5W"> </storage_unit>
<storage_unit name="SSD" capacity="32GB" bus="SAS"
rateR="250MBps" gapR="0.4ms" rateW="80MBps" gapW="1ms"
volatile="0" price="450" power="2.4W"> </storage_unit>
<storage_unit name="DRAM" capacity="1GB" bus="DDR3-1333"
rateR="12.8GBps" gapR="0.6ns" rateW="12.8GBps" gapW="0.6ns"
volatile="1" price="25" power="3.5W"> </storage_unit>
... additional storage units ...
<cpu price="85" power="20W"> </cpu>
<server name="HP DL380 G6" price="1400" cpus="4" BW="1Gbps">
<bus name="SAS" slots="4" BW="6Gbps"> </bus>
<bus name="DDR3-1333" slots="12" BW="21.3GBps"> </bus>
</server>
... additional servers ...
</resources>
"""
APPLICATION = """<application>
<dataset name="tables_repository" size="150GB" persistent="1"
remote="1"> </dataset>
<dataset name="hot_ratingsdata" size="1.6GB" persistent="*"
remote="0"> </dataset>
<dataset name="cold_ratingsdata" size="6.4GB" persistent="*"
remote="0"> </dataset>
... additional datasets ...
<task name="worker" phase="exec" memory="1GB">
<io op="R" dataset="tables_repository" record_size="800MB"
num_records="1" blocking="0"> </io>
... additional I/O operations ...
<compute time="2.2s" blocking="1"> </compute>
<dependency task="queryprocessor" num_invocations="1"
parallel="1" blocking="1"> </dependency>
</task>
<task name="queryprocessor" phase="exec" memory="200MB">
<io op="R" dataset="hot_ratingsdata" probability="0.8"
num_records="40K" record_size="4KB" blocking="0"> </io>
<io op="R" dataset="cold_ratingsdata" probability="0.2"
num_records="40K" record_size="4KB" blocking="0"> </io>
<compute time="0.65s" blocking="1"> </compute>
</task>
</application>
"""
