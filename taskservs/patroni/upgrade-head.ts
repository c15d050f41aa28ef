import { SETPRIV_POSTGRES } from './places.js';
import { ALLOW_START, PRELUDE } from './program-prelude.js';

/**
 * The beginning of the programs of an upgrade to another major version. The data of the former version is only read. The
 * notes beside the data of the new version tell how far the upgrade is.
 */
export const HEAD = `${PRELUDE}
${ALLOW_START}
import shutil
action, FROM, TO = sys.argv[1:4]
OLD, NEW = ["/var/lib/postgresql/%s/patroni" % one for one in (FROM, TO)]
OLD_BIN, NEW_BIN = ["/usr/lib/postgresql/%s/bin" % one for one in (FROM, TO)]
HOME = os.path.dirname(NEW)
NOTES, INSIDE = HOME + "/provisioning.upgrade", HOME + "/provisioning.inside"
# A person makes this file on the leader to go back and lose the writes since.
LOSE = HOME + "/lose-writes"
POSTGRES = "${SETPRIV_POSTGRES}".split()

def run(*words, **more):
    env = dict(os.environ, HOME="/var/lib/postgresql", LC_ALL="C")
    if "input" not in more: more["stdin"] = subprocess.DEVNULL
    return subprocess.run([*POSTGRES, *words], cwd=more.pop("cwd", "/"), env=env, text=True, **more)

def must(what, *words, **more):
    done = run(*words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode != 0: refuse("%s: %s" % (what, " ".join(done.stdout.strip().splitlines()[-8:])[-1500:]))
    return done.stdout.strip()

def refuse(why): die("cannot upgrade PostgreSQL of %s from %s to %s: %s" % (scope, FROM, TO, why))
def text(path): return run("cat", "--", path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
def notes(): return text(NOTES).split("\\n")
def note(line): must("write " + NOTES, "sh", "-c", 'printf "%s\\\\n" "$1" >>"$2"', "sh", line, NOTES)
def write(path, content): run("tee", "--", path, input=content, stdout=subprocess.DEVNULL, check=True)
def remove(*paths): run("rm", "-rf", "--", *paths, check=True)
def control_data(data, bin):
    lines = must("read " + data, bin + "/pg_controldata", data).splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}

def runs(data, bin): return os.path.isdir(data) and run(bin + "/pg_ctl", "-D", data, "status", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
def stop(data, bin):
    if runs(data, bin): run(bin + "/pg_ctl", "-D", data, "-m", "fast", "-t", "3600", "-w", "stop", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if runs(data, bin): die("PostgreSQL in %s does not stop" % data)

def patroni(verb):
    if verb == "start": allow_start()
    done = subprocess.run(["systemctl", verb, "patroni"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0: die("systemctl %s patroni: %s" % (verb, done.stdout.strip()[-500:]))

def settings(): return ask("/config") or {}
def size(number): return "%d MiB" % (number / 2**20)
def needed(): return int(must("measure " + OLD, "du", "-sk", "--exclude=pg_wal", OLD).split()[0]) * 1024 * 1.05 + 192 * 2**20
def need_room(need):
    """Its data is copied, for which there must be room beside it."""
    free = shutil.disk_usage(HOME if os.path.isdir(HOME) else "/var/lib/postgresql").free
    if free < need: refuse("its data is copied, for which %s have to be free in /var/lib/postgresql, and %s are" % (size(need), size(free)))
    if os.listdir(OLD + "/pg_tblspc"): refuse("it has tablespaces outside of its data, which are not copied")
    if os.path.islink(OLD + "/pg_wal"): refuse("its pg_wal is a link")

def fault(servers=()):
    """What is wrong with the cluster. None if one member leads and the others follow."""
    of = members()
    if not leader(of): return no_leader()
    if not all(well(one) for one in of) or {*servers} - {one["name"] for one in of}: return "all members have to follow: %s" % shown(of)
    if settings().get("synchronous_mode_strict") and len(of) > 1 and not any(one["role"] == "sync_standby" for one in of): return "no member confirms commits: %s" % shown(of)

def until_none(seconds, look):
    """Returns what a look still finds after this time. None if it finds nothing before."""
    found = [None]
    def is_none(): found[0] = look(); return found[0] is None
    until(seconds, is_none)
    return found[0]

def answers():
    """Waits for Patroni, and for what etcd has of the cluster: without that nothing tells whether it is paused."""
    if not until(60, lambda: ask("/patroni")): die("Patroni does not answer: see journalctl -u patroni")
    if not until(60, settings): die("etcd does not answer, of which a majority must run")

def set_aside(name): run("mv", "-T", "--", NEW, "%s.%s-%d" % (NEW, name, time.time()), check=True)
def drop_new():
    """Removes data of the new version that this upgrade made. With writes that a person gave up, it is kept under another name."""
    stop(NEW, NEW_BIN)
    if os.path.exists(LOSE) and os.path.exists(NEW + "/PG_VERSION"): set_aside("undone")
    remove(NEW, LOSE, INSIDE, NOTES)
`;
