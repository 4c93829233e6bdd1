"""Options that the benchmarks of running servers share."""
import argparse


def parser(description):
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--host", default="/tmp")
    found.add_argument("--port", default=5432)
    found.add_argument("--user", default="postgres")
    found.add_argument("--db", default="postgres")
    found.add_argument("--library", default="millrace")
    found.add_argument("--workers", type=int, default=0)
    found.add_argument("--make", action="store_true")
    found.add_argument("--only", default="")
    return found
