"""Built runs -> the output tree, with its lock: layout, decisions about runs that exist, writing."""
