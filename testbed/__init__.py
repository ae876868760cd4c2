"""Made inputs, recorded Traces and small real parts that tests and benchmarks share."""
