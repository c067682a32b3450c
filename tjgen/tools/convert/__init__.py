"""TrainJobs and runtimes of one Trainer release, rewritten for another."""
