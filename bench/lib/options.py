"""Options that the benchmarks of running servers share."""
import argparse
import os

SOCKETS = ("/var/run/postgresql", "/tmp")  # Debian's directory, and the one PostgreSQL's own build has


def parser(description):
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--host", default=os.environ.get("PGHOST") or next(filter(os.path.isdir, SOCKETS)))
    found.add_argument("--port", default=os.environ.get("PGPORT") or 5432)
    found.add_argument("--user", default="postgres")
    found.add_argument("--db", default="postgres")
    found.add_argument("--library", default="millrace")
    found.add_argument("--workers", type=int, default=0)
    found.add_argument("--make", action="store_true")
    found.add_argument("--only", default="")
    return found
