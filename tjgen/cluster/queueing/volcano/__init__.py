"""Queues and jobs of Volcano -> the jobs that its scheduler starts, as Volcano 1.15 with the configuration that it installs."""
