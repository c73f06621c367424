"""What the tests share: disks, cgroups, loads, the program under test, and its unit tests."""
