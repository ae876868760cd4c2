"""Mining: recorded runs of a job at small scales to its scale-free Workload, and how well it predicts."""

from froude.mining.check.prediction import Prediction, predict
from froude.mining.traces import mine

__all__ = ["Prediction", "mine", "predict"]
