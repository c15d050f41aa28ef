"""Logs in at programs with the values that they should have read, and with others. Standard input has a list of
{user, value, wrong, conf, script} in JSON; the answer is a list of lists: for value and each of wrong, whether the program took it."""
import base64
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

kind, port = sys.argv[1], int(sys.argv[2])


def connect():
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port), 20)
        except OSError:
            time.sleep(0.05)
    raise SystemExit("%s does not listen" % kind)


def line_of(plain):
    line = b""
    while not line.endswith(b"\n"):
        more = plain.recv(1)
        if not more:
            break
        line += more
    return line


def nats(user, value):
    with connect() as plain:
        line_of(plain)
        words = json.dumps({"verbose": True, "user": user, "pass": value})
        plain.sendall(b"CONNECT " + words.encode() + b"\r\nPING\r\n")
        return line_of(plain).startswith(b"+OK")


def mosquitto(user, value):
    def text(word):
        return len(word).to_bytes(2, "big") + word

    secret = value.encode()
    if len(secret) > 65535:
        return False
    body = text(b"MQTT") + bytes([4, 194, 0, 30]) + text(b"") + text(user.encode()) + text(secret)
    length, left = b"", len(body)
    while True:
        left, digit = left // 128, left % 128
        length += bytes([digit + (128 if left else 0)])
        if not left:
            break
    with connect() as plain:
        plain.sendall(b"\x10" + length + body)
        return plain.recv(4)[3:4] == b"\0"


def memcached(user, value):
    login = (user + " " + value).encode()
    with connect() as plain:
        plain.sendall(b"set x 0 0 %d\r\n%s\r\n" % (len(login), login))
        return line_of(plain) == b"STORED\r\n"


def influxdb(user, value):
    login = base64.b64encode((user + ":" + value).encode()).decode()
    request = urllib.request.Request("http://127.0.0.1:%d/query?q=SHOW+DATABASES" % port)
    request.add_header("Authorization", "Basic " + login)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status == 200
    except urllib.error.HTTPError as error:
        if error.code == 401:
            return False
        raise


def pgbouncer(user, value):
    env = dict(os.environ, PGPASSWORD=value, PGCONNECT_TIMEOUT="20")
    command = ["psql", "-qtAX", "-h", "127.0.0.1", "-p", str(port), "-U", user, "-d", "pgbouncer", "-c", "SHOW VERSION"]
    return subprocess.run(command, env=env, capture_output=True).returncode == 0


def redis(_, value):
    secret = value.encode()
    with connect() as plain:
        plain.sendall(b"*2\r\n$4\r\nAUTH\r\n$%d\r\n%s\r\n" % (len(secret), secret))
        return line_of(plain) == b"+OK\r\n"


def each_redis(entry):
    """Redis has one password, so it is started for each value. The script is of the platform, and has to log in as well."""
    with open("/etc/redis/redis.conf", "w") as conf:
        conf.write(entry["conf"])
    with subprocess.Popen(["redis-server", "/etc/redis/redis.conf"], stdout=subprocess.DEVNULL) as server:
        try:
            found = all_of(entry, redis)
            script = subprocess.run(["bash", "-euo", "pipefail", "-c", entry["script"]], capture_output=True)
            return [found[0] and script.returncode == 0] + found[1:]
        finally:
            server.kill()


def all_of(entry, accepts):
    return [accepts(entry["user"], value) for value in [entry["value"], *entry["wrong"]]]


def alertmanager(entries):
    """It sends each token to this program, as the header of a request."""
    got, full = {}, threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            # Python takes headers for Latin-1.
            got[self.path[1:]] = self.headers["Authorization"].encode("latin-1").decode()
            self.send_response(200)
            self.end_headers()
            if len(got) == len(entries):
                full.set()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 9999), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    connect().close()
    alerts = [{"labels": {"alertname": entry["user"], "to": entry["user"]}} for entry in entries]
    url, given = "http://127.0.0.1:%d/api/v2/alerts" % port, json.dumps(alerts).encode()
    headers = {"Content-Type": "application/json"}
    for _ in range(200):
        try:
            urllib.request.urlopen(urllib.request.Request(url, given, headers), timeout=20).close()
            break
        except OSError:
            time.sleep(0.1)
    full.wait(60)
    return [[got.get(entry["user"]) == "Bearer " + value for value in [entry["value"], *entry["wrong"]]] for entry in entries]


entries = json.load(sys.stdin)
if kind == "alertmanager":
    answer = alertmanager(entries)
elif kind == "redis":
    answer = [each_redis(entry) for entry in entries]
else:
    answer = [all_of(entry, globals()[kind]) for entry in entries]
print(json.dumps(answer))
