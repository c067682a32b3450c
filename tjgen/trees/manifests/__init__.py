"""Objects with their origins and the stage of a sync that they belong to."""
