"""libpq by ctypes: what the tests need of it, and nothing to install.

    with Connection(host=dir, port=54311, dbname="postgres") as c:
        result = c.run("SELECT 1")             # Result: .rows, .tag, .error, .notices
        result = c.copy("COPY t FROM STDIN", [b"1\n", b"2\n"])
"""
import ctypes
import ctypes.util
import select
from ctypes import byref, c_char_p, c_int, c_void_p

_lib = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


_connect = _declare("PQconnectdb", c_void_p, c_char_p)
_status = _declare("PQstatus", c_int, c_void_p)
_error_message = _declare("PQerrorMessage", c_char_p, c_void_p)
_finish = _declare("PQfinish", None, c_void_p)
_exec = _declare("PQexec", c_void_p, c_void_p, c_char_p)
_send_query = _declare("PQsendQuery", c_int, c_void_p, c_char_p)
_get_result = _declare("PQgetResult", c_void_p, c_void_p)
_consume = _declare("PQconsumeInput", c_int, c_void_p)
_is_busy = _declare("PQisBusy", c_int, c_void_p)
_clear = _declare("PQclear", None, c_void_p)
_result_status = _declare("PQresultStatus", c_int, c_void_p)
_error_field = _declare("PQresultErrorField", c_char_p, c_void_p, c_int)
_result_error = _declare("PQresultErrorMessage", c_char_p, c_void_p)
_cmd_status = _declare("PQcmdStatus", c_char_p, c_void_p)
_ntuples = _declare("PQntuples", c_int, c_void_p)
_nfields = _declare("PQnfields", c_int, c_void_p)
_getvalue = _declare("PQgetvalue", c_void_p, c_void_p, c_int, c_int)
_getlength = _declare("PQgetlength", c_int, c_void_p, c_int, c_int)
_getisnull = _declare("PQgetisnull", c_int, c_void_p, c_int, c_int)
_put_data = _declare("PQputCopyData", c_int, c_void_p, c_char_p, c_int)
_put_end = _declare("PQputCopyEnd", c_int, c_void_p, c_char_p)
_flush = _declare("PQflush", c_int, c_void_p)
_socket = _declare("PQsocket", c_int, c_void_p)
_backend_pid = _declare("PQbackendPID", c_int, c_void_p)
_get_cancel = _declare("PQgetCancel", c_void_p, c_void_p)
_cancel = _declare("PQcancel", c_int, c_void_p, c_char_p, c_int)
_free_cancel = _declare("PQfreeCancel", None, c_void_p)
_RECEIVER = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
_set_receiver = _declare("PQsetNoticeReceiver", c_void_p, c_void_p, _RECEIVER, c_void_p)

EMPTY, COMMAND_OK, TUPLES_OK, COPY_OUT, COPY_IN, BAD, NONFATAL, FATAL = range(8)

# Every field of an error or notice but the place in PostgreSQL's source where it was raised.
FIELDS = {"severity": "V", "sqlstate": "C", "message": "M", "detail": "D", "hint": "H", "position": "P",
          "internal_position": "p", "internal_query": "q", "context": "W", "schema": "s", "table": "t",
          "column": "c", "datatype": "d", "constraint": "n"}


def _report(result):
    """The fields of an error or notice as a dict of str, those it has."""
    report = {}
    for name, code in FIELDS.items():
        value = _error_field(result, ord(code))
        if value is not None:
            report[name] = value.decode("utf-8", "backslashreplace")
    if not report:
        report["message"] = (_result_error(result) or b"").decode("utf-8", "backslashreplace")
    return report


class Result:
    """What one statement gave: status, tag, rows (bytes or None), error (dict or None), notices (list of dicts)."""

    def __init__(self):
        self.status, self.tag, self.rows, self.error, self.notices = None, None, [], None, []

    def take(self, result):
        self.status = _result_status(result)
        if self.status in (BAD, FATAL):
            self.error = _report(result)
            return
        self.tag = _cmd_status(result).decode()
        for i in range(_ntuples(result)):
            self.rows.append(tuple(
                None if _getisnull(result, i, j) else
                ctypes.string_at(_getvalue(result, i, j), _getlength(result, i, j)) for j in range(_nfields(result))))

    @property
    def value(self):
        """The single value as str; raises when the statement failed."""
        if self.error:
            raise RuntimeError(f"{self.error}")
        value = self.rows[0][0]
        return None if value is None else value.decode("utf-8", "backslashreplace")

    def same_as(self, other):
        return (self.status, self.tag, self.rows, self.error, self.notices) == (
            other.status, other.tag, other.rows, other.error, other.notices)

    def __str__(self):
        lines = [] if self.tag is None else [f"tag {self.tag}"]
        for what, report in [("notice", n) for n in self.notices] + ([("error", self.error)] if self.error else []):
            lines.append(what)
            lines += [f"  {k}: {v}" for k, v in report.items()]
        return "\n".join(lines)


class Connection:
    def __init__(self, **parameters):
        parameters.setdefault("user", "postgres")
        parameters.setdefault("dbname", "postgres")
        info = " ".join("{}='{}'".format(k, str(v).replace("\\", "\\\\").replace("'", "\\'"))
                        for k, v in parameters.items())
        self.conn = _connect(info.encode())
        if _status(self.conn) != 0:
            message = _error_message(self.conn).decode()
            _finish(self.conn)
            self.conn = None
            raise ConnectionError(message)
        self.notices = []
        self._receiver = _RECEIVER(lambda _, result: self.notices.append(_report(result)))
        _set_receiver(self.conn, self._receiver, None)
        self.pid = _backend_pid(self.conn)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.conn:
            _finish(self.conn)
            self.conn = None

    @property
    def alive(self):
        return self.conn is not None and _status(self.conn) == 0

    def fileno(self):
        return _socket(self.conn)

    def _finish_into(self, out):
        while True:
            result = _get_result(self.conn)
            if not result:
                break
            out.take(result)
            status = out.status
            _clear(result)
            if status in (COPY_IN, COPY_OUT):
                break
        out.notices, self.notices = self.notices, []
        return out

    def send(self, sql):
        """Sends a statement and does not wait."""
        if not _send_query(self.conn, sql if isinstance(sql, bytes) else sql.encode()):
            raise ConnectionError(_error_message(self.conn).decode())

    def arrive(self):
        """Waits until the answer of what was sent is here; nothing is taken out of it yet."""
        while _is_busy(self.conn):
            select.select([self], [], [])
            if not _consume(self.conn):
                break

    def wait(self):
        """The Result of what was sent."""
        return self._finish_into(Result())

    def run(self, sql):
        """Runs one or more statements; the Result is the last one's, or the first error."""
        self.send(sql)
        return self.wait()

    def must(self, sql):
        """run(), raising if the statement fails; the Result."""
        result = self.run(sql)
        if result.error:
            raise RuntimeError(f"{result.error}\n{sql if isinstance(sql, str) else sql.decode('utf-8', 'replace')}")
        return result

    def put(self, data):
        """Sends one CopyData message and pushes it out."""
        return _put_data(self.conn, data, len(data)) == 1 and _flush(self.conn) == 0

    def end(self, failure=None):
        """Ends the copy data, with CopyFail when there is a message; the Result."""
        _put_end(self.conn, None if failure is None else failure.encode())
        return self.wait()

    def copy(self, sql, pieces):
        """Runs COPY ... FROM STDIN with each piece as one CopyData message; the Result."""
        result = self.run(sql)
        if result.status != COPY_IN:
            return result
        notices = result.notices
        for piece in pieces:
            if _put_data(self.conn, piece, len(piece)) != 1:
                break
        result = self.end()
        result.notices = notices + result.notices
        return result

    def ready(self, seconds):
        """Waits until the server has sent something; False after so many seconds."""
        return bool(select.select([self], [], [], seconds)[0])

    def cancel(self):
        cancel = _get_cancel(self.conn)
        buffer = ctypes.create_string_buffer(256)
        ok = _cancel(cancel, buffer, 256)
        _free_cancel(cancel)
        return ok == 1
