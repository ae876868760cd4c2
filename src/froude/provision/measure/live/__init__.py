"""Shell of provisioning: measures real devices with fio, behind a guard of what may be written to."""
