"""Many pictures: folders, lesson sets, measures over all of them, and the processes that share the work."""
