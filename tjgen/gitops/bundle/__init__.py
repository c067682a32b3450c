"""Platform to the objects of a cluster that its runs rely on: queues, priorities, storage classes, access."""
