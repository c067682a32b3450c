"""What tjgen reports: codes, severities, places, and how they are printed."""
