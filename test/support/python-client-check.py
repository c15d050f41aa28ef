"""Follows a stream that is cut, by the Python client, and prints what it saw as JSON. Its server is in this program."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from provisioning_client.api.backups import backups_create
from provisioning_client.api.operations import operations_follow, operations_progress
from provisioning_client.calls import ProblemError, StreamCut, call, connect, follow
from provisioning_client.models import BackupsCreateBody

# A separator of lines in Unicode, which JSON leaves as it is.
TEXT = "one\u2028line"
asked = []


def event(number):
    data = json.dumps({"type": "progress", "number": number, "text": TEXT}, ensure_ascii=False)
    return f"id: {number}\ndata: {data}\n\n".encode()


class Stream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        asked.append([self.headers.get("Last-Event-ID"), self.headers.get("Authorization")])
        if len(asked) == 2:
            return self.answer(503, "application/problem+json", json.dumps(PROBLEM).encode())
        # The second part ends within an event, and the third with the end.
        parts = {1: event(1) + event(2) + b"id: 3\ndata: {", 3: event(3) + b"event: end\ndata: {}\n\n"}
        self.answer(200, "text/event-stream", parts[len(asked)])

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked.append(["POST"])
        self.answer(200, "text/event-stream", b"data: {}\n\n")

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_):
        pass


PROBLEM = {
    "type": "urn:provisioning:error:unreachable",
    "title": "Later",
    "status": 503,
    "detail": "cannot answer the request: it stops",
    "code": "unreachable",
    "kind": "unavailable",
    "blame": "weather",
    "what": "answer the request",
    "why": "it stops",
    "request": "1",
    "retryAfterMs": 10,
}

server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
threading.Thread(target=server.serve_forever, daemon=True).start()
local = connect(f"http://127.0.0.1:{server.server_port}", "prov_1_x")
events = [[one.id, one.data["number"], one.data["text"] == TEXT] for one in follow(operations_follow, local, operation="a")]
continued = list(asked)

asked.clear()
try:
    list(follow(backups_create, local, body=BackupsCreateBody.from_dict({})))
    cut = None
except StreamCut as error:
    cut = str(error)

# The real server, from the environment.
platform = connect()
try:
    call(operations_progress, platform, operation="cluster-none")
    problem = None
except ProblemError as error:
    problem = [error.problem.code, error.problem.status]
try:
    connect("http://example.org", "prov_1_x")
    plain = None
except ValueError as error:
    plain = str(error)
json.dump(
    {"events": events, "asked": continued, "posts": len(asked), "cut": cut, "problem": problem, "plain": plain},
    sys.stdout,
)
