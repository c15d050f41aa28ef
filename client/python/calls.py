"""What a generator cannot make of an OpenAPI document: connections, typed problems, streams and the end of operations."""

from __future__ import annotations

import inspect
import json
import os
import ssl
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import httpx

from .client import AuthenticatedClient
from .models.problem import Problem
from .types import Unset

# Seconds. A stream has a comment every 15 seconds: three that are missing are a connection that is gone.
CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 90.0
SILENT_SECONDS = 45.0
# Connections of a stream in a row that brought no event, and the longest wait between two.
FRUITLESS = 10
LONGEST_WAIT_SECONDS = 15.0
# Statuses after which the same stream can be opened again: too many requests, or the server is about to end or to start.
LATER = (429, 503)


class ProblemError(Exception):
    """The platform refused a call. `problem` has the code, the reason and the hint."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class StreamCut(Exception):
    """A stream was cut and cannot continue."""


@dataclass(frozen=True)
class Event:
    """An event of a stream. `id` is its cursor, for `last_event_id`; `data` has the form of the schema `x-event`."""

    id: str | None
    data: Any


def connect(url: str | None = None, token: str | None = None, ca: str | None = None) -> AuthenticatedClient:
    """Makes a client. Defaults: PROVISIONING_SERVER, PROVISIONING_TOKEN and PROVISIONING_SERVER_CA.

    `ca` is a file with the authority of the server's certificate; no other authority is trusted then. Raises ValueError
    without a server or a token, and for plain HTTP to another machine.
    """
    url = url or os.environ.get("PROVISIONING_SERVER")
    token = token or os.environ.get("PROVISIONING_TOKEN")
    ca = ca or os.environ.get("PROVISIONING_SERVER_CA") or None
    if not url or not token:
        raise ValueError("name a server and a token: PROVISIONING_SERVER and PROVISIONING_TOKEN")
    parts = urlsplit(url)
    is_loopback = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback):
        raise ValueError("the server needs https://; plain HTTP is for loopback only")
    return AuthenticatedClient(
        base_url=url.rstrip("/"),
        token=token,
        verify_ssl=ssl.create_default_context(cafile=ca),
        timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS),
    )


def call(endpoint: ModuleType, client: AuthenticatedClient, **parameters: Any) -> Any:
    """Calls a generated endpoint once, and returns its answer. Raises ProblemError, and the errors of httpx."""
    answer = endpoint.sync(client=client, **parameters)
    if isinstance(answer, Problem):
        raise ProblemError(answer)
    return answer


def wait(endpoint: ModuleType, client: AuthenticatedClient, **parameters: Any) -> Any:
    """Waits for an end, such as that of `operations_result`, and returns it. Raises ProblemError."""
    while True:
        response = endpoint.sync_detailed(client=client, prefer="wait=30", **parameters)
        if isinstance(response.parsed, Problem):
            raise ProblemError(response.parsed)
        # 202: it has not ended yet.
        if response.status_code == 200:
            return response.parsed


def follow(endpoint: ModuleType, client: AuthenticatedClient, **parameters: Any) -> Iterator[Event]:
    """Follows a generated endpoint that is a stream, to its end.

    A stream with `last_event_id` continues after its last event when its connection breaks: nothing is missing, and
    nothing comes twice. Raises ProblemError, StreamCut, and the errors of httpx if no connection was made at all.
    """
    request = endpoint._get_kwargs(**parameters)
    headers = {**request.pop("headers", {}), "Accept": "text/event-stream"}
    can_continue = "last_event_id" in inspect.signature(endpoint._get_kwargs).parameters
    timeout = httpx.Timeout(SILENT_SECONDS, connect=CONNECT_SECONDS)
    http = client.get_httpx_client()
    has_answered = False
    fruitless = 0
    while True:
        pause = min(0.2 * (fruitless + 1), LONGEST_WAIT_SECONDS)
        try:
            with http.stream(**request, headers=headers, timeout=timeout) as response:
                if response.status_code == 200:
                    has_answered = True
                    for name, id, data in read_events(response.iter_bytes()):
                        if name == "end":
                            return
                        if name == "problem":
                            raise ProblemError(Problem.from_dict(json.loads(data)))
                        if id is not None:
                            headers["Last-Event-ID"] = id
                        fruitless = 0
                        yield Event(id, json.loads(data))
                else:
                    problem = Problem.from_dict(json.loads(response.read()))
                    if response.status_code not in LATER or not can_continue:
                        raise ProblemError(problem)
                    if not isinstance(problem.retry_after_ms, Unset):
                        pause = min(problem.retry_after_ms / 1000, LONGEST_WAIT_SECONDS)
        except httpx.TransportError:
            if not has_answered or not can_continue:
                raise
        fruitless += 1
        if not can_continue or fruitless >= FRUITLESS:
            raise StreamCut("the stream was cut before its end")
        time.sleep(pause)


def read_events(chunks: Iterable[bytes]) -> Iterator[tuple[str, str | None, str]]:
    """The events of a body of server-sent events: name, id and data. An event that was cut off is left out."""
    name, id, data = "message", None, []
    for line in read_lines(chunks):
        if line == "":
            if data:
                yield name, id, "\n".join(data)
            name, id, data = "message", None, []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "id":
            id = value
        elif field == "data":
            data.append(value)


def read_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Lines that end with a line feed. Other separators of Unicode, which `splitlines` knows, are part of JSON texts."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r").decode()
