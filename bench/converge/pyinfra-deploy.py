"""Brings a host to what work.json says, in pyinfra's own operations."""

import json
from shlex import quote

from pyinfra.operations import apt, files, server, systemd

with open("work.json") as source:
    work = json.load(source)

apt.packages(name="packages", packages=work["packages"], no_recommends=True)

changed = {}
for path in work["absent"]:
    changed[path] = files.link(name=f"no {path}", path=path, present=False)
for path in work["directories"]:
    files.directory(name=path, path=path, mode="755", user="root", group="root")
for file in work["files"]:
    changed[file["path"]] = files.put(
        name=file["path"],
        src=file["src"],
        dest=file["path"],
        mode=file["mode"].lstrip("0"),
        user=file["owner"],
        group=file["group"],
    )
for service in work["services"]:
    name = service["name"]
    systemd.service(name=name, service=name, running=True, enabled=True)
    read = [changed[path] for path in service["reads"] if path in changed]
    systemd.service(
        name=f"apply {name}",
        service=name,
        running=True,
        enabled=True,
        restarted=service["change"] == "restart",
        reloaded=service["change"] == "reload",
        _if=lambda read=read: any(one.did_change() for one in read),
    )
for check in work["checks"]:
    command = f"{check['command']} | grep -q -F -e {quote(check['expect'])}"
    server.shell(name=check["title"], commands=[command], _shell_executable="bash", _retries=30, _retry_delay=1)
