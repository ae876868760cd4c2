"""What is known of a datacenter: tenants, servers, utilisation, reimages; read, cleaned or generated."""
