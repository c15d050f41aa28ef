import { CONF } from './places.js';

/**
 * The first lines of programs in Python on a member: they look at the cluster by Patroni's REST API, and act by
 * `patronictl`. Patroni brings Python along.
 */
export const PRELUDE = `import http.client, json, os, ssl, subprocess, sys, time, urllib.error, urllib.request, yaml
conf = yaml.safe_load(open("${CONF}"))
me, scope = conf["name"], conf["scope"]
rest = conf["restapi"]
api = ("https://" if "certfile" in rest else "http://") + rest["listen"].replace("0.0.0.0", "127.0.0.1")
trust = ssl.create_default_context(cafile=rest["cafile"]) if "certfile" in rest else None
# The certificate has the names of members, and not the address at which a member reaches itself.
if trust: trust.check_hostname = False
bin = conf["postgresql"]["bin_dir"]
port = conf["postgresql"]["listen"].rsplit(":", 1)[1]

def ask(path):
    # Until Patroni has reloaded its file it still answers without TLS.
    for base in [api] + ([api.replace("https:", "http:")] if trust else []):
        try:
            with urllib.request.urlopen(base + path, timeout=10, context=trust) as answer: return json.load(answer)
        except urllib.error.HTTPError as error:
            try: return json.load(error)
            except ValueError: return None
        except (OSError, ValueError, http.client.HTTPException): continue
    return None

def die(why): print(why); sys.exit(1)
def members(): return (ask("/cluster") or {}).get("members", [])
def leader(of): return next((one for one in of if one["role"] == "leader"), None)
def well(one): return one["state"] in ("running", "streaming")
def shown(of): return ", ".join("%s (%s, %s)" % (one["name"], one["role"], one["state"]) for one in of) or "no member"
def until(seconds, look):
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found or time.monotonic() > end: return found
        time.sleep(0.5)

def local(sql):
    run = subprocess.run(["runuser", "-u", "postgres", "--", bin + "/psql", "-p", port, "-d", "postgres", "-XtAc", sql],
        cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    return run.stdout.strip() if run.returncode == 0 else None

def control(*words):
    run = subprocess.run(["patronictl", "-c", "${CONF}", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout)
    return run.returncode == 0

def no_leader(): return "the cluster %s has no leader: a majority of etcd must answer, and a member with all acknowledged writes must run: %s" % (scope, shown(members()))

def joined():
    """Waits until this member leads or follows. A copy of the data takes as long as it takes."""
    end = time.monotonic() + 120
    while True:
        status = ask("/patroni") or {}
        state = str(status.get("state", "without an answer"))
        if "creating" in state or "bootstrap" in state or "initializing" in state: end = time.monotonic() + 120
        if state == "running":
            first = leader(members())
            if first and first["name"] == me and local("SELECT pg_is_in_recovery()") == "f": print("it leads"); return
            if first and first["name"] != me and local("SELECT status FROM pg_stat_wal_receiver") == "streaming": print("it follows " + first["name"]); return
        if time.monotonic() > end: die("%s is no member of %s that serves: it is %s; the cluster has %s; see journalctl -u patroni" % (me, scope, state, shown(members())))
        time.sleep(1)`;

/** For programs that start Patroni, also on their way back from what did not start. */
export const ALLOW_START = `def allow_start():
    """After five failures within ten seconds systemd refuses a start, also one with the former files."""
    subprocess.run(["systemctl", "reset-failed", "patroni"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)`;
