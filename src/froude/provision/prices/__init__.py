"""Tables of prices (clouds' instance types and volumes, disks) → a catalog; what a table lacks is asked for."""
