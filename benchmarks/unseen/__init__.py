"""Jobs as users write them, by an author who had not seen the miner: it is measured on them, and never made for them."""
