"""Reading and writing of the inputs: the paper's XML and YAML of the same names, both through one tree."""
