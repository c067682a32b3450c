// A body of schedule.go is in another package; the compiler accepts this only next to a file of assembly.
