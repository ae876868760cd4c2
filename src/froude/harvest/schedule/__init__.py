"""Which class of servers a job gets: Algorithm 1 of the paper, its rivals, and what a job asks for."""
