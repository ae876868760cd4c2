"""A resizable SSD cache over one virtual disk, served as a network block device by one process."""
