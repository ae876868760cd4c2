"""The closed loop: monitor, analyse, plan, execute; its history, its REST interface, its process."""
