"""What is asked of iolat inside a guest of tests/vm/boot: one file a topic, one function a check (see checks.py)."""
