"""Mining: recorded runs of a job at small scales to its scale-free Workload, and how well it predicts."""

from froude.mining.pipeline import mine
from froude.mining.prediction import Prediction, predict

__all__ = ["Prediction", "mine", "predict"]
