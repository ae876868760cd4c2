"""Floor 3: whole experiments, from recording to verdict, and their figures."""
