"""Shell of provisioning: measures real devices with fio."""
