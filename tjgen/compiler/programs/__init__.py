"""The programs that tjgen runs in the cluster next to training: what makes them, their pods and their containers."""
