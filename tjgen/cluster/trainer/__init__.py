"""The twin of the Trainer controller: what it creates for a TrainJob and a runtime, for each release."""
