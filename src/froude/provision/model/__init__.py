"""The model: from the inputs to a numeric problem, with everything nonlinear inside its coefficients."""
