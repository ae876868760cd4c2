"""Recording of live traffic: the proxy, its lanes and processes, and what each writes."""
