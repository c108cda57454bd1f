"""The asynchronous client, which is written by hand; tools/generate_sync.py makes the other from it."""
