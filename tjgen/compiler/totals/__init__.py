"""The resources that runs request, and the quotas that they share."""
