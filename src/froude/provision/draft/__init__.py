"""From measurement to model: an application specification out of recorded traces, with blanks where they are silent."""
