"""pg_visibility's check of all-visible pages."""
import time


def check_visible(c, table):
    """
    The rows of pg_check_visible(). Before 17 it also reports rows that are visible to all, while the horizon it goes by has stepped
    back, as that of another database or of a standby's may: those go away in time, real ones do not.
    """
    for _ in range(20):
        rows = c.must(f"SELECT * FROM pg_check_visible('{table}')").rows
        if not rows:
            break
        time.sleep(0.2)
    return rows
