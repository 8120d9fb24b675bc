"""What the kernel enforces: Landlock, filters of system calls, capabilities, cgroups."""
