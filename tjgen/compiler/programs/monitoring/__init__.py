"""What is measured of runs: rules, a monitor of their pods, a dashboard, and Jobs that measure volumes."""
