import { MANAGED_FILE_HEADER, sh } from '../../sdk/index.js';
import { CONF, SETPRIV_POSTGRES, UPGRADE_PROGRAM } from './places.js';
import { PRELUDE } from './program-prelude.js';
import { GUARD } from './upgrade-guard.js';

/**
 * The beginning of the programs of an upgrade to another major version. The data of the former version is only read. The
 * notes beside the data of the new version tell how far the upgrade is.
 */
const HEAD = `${PRELUDE}
import shutil
action, FROM, TO = sys.argv[1:4]
OLD, NEW = ["/var/lib/postgresql/%s/patroni" % one for one in (FROM, TO)]
OLD_BIN, NEW_BIN = ["/usr/lib/postgresql/%s/bin" % one for one in (FROM, TO)]
HOME = os.path.dirname(NEW)
NOTES, INSIDE = HOME + "/provisioning.upgrade", HOME + "/provisioning.inside"
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
    # After five failures within ten seconds systemd refuses a start, also that of the former version.
    if verb == "start": subprocess.run(["systemctl", "reset-failed", "patroni"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    done = subprocess.run(["systemctl", verb, "patroni"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0: die("systemctl %s patroni: %s" % (verb, done.stdout.strip()[-500:]))

def settings(): return ask("/config") or {}
def size(number): return "%d MiB" % (number / 2**20)
def need_room():
    """Its data is copied, for which there must be room beside it."""
    used = int(must("measure " + OLD, "du", "-sk", "--exclude=pg_wal", OLD).split()[0]) * 1024
    need, free = used * 1.05 + 192 * 2**20, shutil.disk_usage("/var/lib/postgresql").free
    if free < need: refuse("its data is copied, for which %s have to be free in /var/lib/postgresql, and %s are" % (size(need), size(free)))
    if os.listdir(OLD + "/pg_tblspc"): refuse("it has tablespaces outside of its data, which are not copied")
    if os.path.islink(OLD + "/pg_wal"): refuse("its pg_wal is a link")

def drop_new():
    """Removes data of the new version that this upgrade made."""
    stop(NEW, NEW_BIN)
    remove(NEW, NOTES, INSIDE)
`;

/** What the member does whose data is upgraded: the leader. */
const LEADER = `
def look(servers):
    """Whether this member leads, and all others follow it."""
    def faults():
        of = members(); first = leader(of)
        if not first or first["name"] != me: return "%s leads, and not %s: nothing was changed; run the command again" % (first["name"] if first else "no member", me)
        if settings().get("pause"): return "Patroni is paused: first run patronictl -c ${CONF} resume"
        missing = [name for name in servers if not any(one["name"] == name and well(one) for one in of)]
        if missing: return "all members have to follow before: %s" % shown(of)
        if settings().get("synchronous_mode_strict") and len(of) > 1 and not any(one["role"] == "sync_standby" for one in of): return "no member confirms commits: %s" % shown(of)
    if not until(30, lambda: faults() is None): refuse(faults())

def ready(*servers): look(servers); need_room()

def make():
    """Makes an empty cluster of the new version, in place of one that a former attempt left."""
    if os.path.isdir(NEW) and os.listdir(NEW) and "from " + FROM not in notes(): refuse(NEW + " holds data already")
    drop_new()
    run("mkdir", "-p", "-m", "0755", HOME, check=True)
    note("from " + FROM)
    initialize()

def initialize():
    control = control_data(OLD, OLD_BIN)
    sums = control["Data page checksum version"] != "0"
    more = ["--data-checksums"] if sums else ["--no-data-checksums"] if int(TO) >= 18 else []
    must("make " + NEW, NEW_BIN + "/initdb", "-D", NEW, "--username=postgres", "--auth-local=peer", "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--wal-segsize=%d" % (int(control["Bytes per WAL segment"]) / 2**20), *more)
    for name in ("postgresql.auto.conf", "pg_ident.conf"):
        if os.path.exists(OLD + "/" + name): run("cp", "--", OLD + "/" + name, NEW + "/", check=True)

def unmake():
    if "from " + FROM not in notes(): return
    stop(NEW, NEW_BIN)
    if os.path.exists(LOSE) and text(NEW + "/provisioning.baseline"):
        run("mv", "-T", "--", NEW, "%s.undone-%d" % (NEW, time.time()), check=True)
        remove(LOSE)
    drop_new()

def workplace(): return run("mktemp", "-d", "/var/lib/postgresql/upgrade.XXXXXX", stdout=subprocess.PIPE, check=True).stdout.strip()

def inside(at_bin, sockets, at_port):
    """Roles and databases, which the upgrade must not lose."""
    sql = "SELECT 'the role ' || rolname FROM pg_roles WHERE rolname !~ '^pg_' UNION ALL SELECT format('the database %s of %s, %s, %s', datname, pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate) FROM pg_database"
    return set(must("list roles and databases", at_bin + "/psql", "-h", sockets, "-p", at_port, "-d", "postgres", "-XtAc", sql).splitlines())

def pg_upgrade(work, *more):
    """The programs of both versions run on private sockets, without archiving and without the names of members."""
    wanted = (settings() or json.loads(text(OLD + "/patroni.dynamic.json") or "{}")).get("postgresql", {}).get("parameters", {})
    own = " ".join("-c %s='%s'" % (name, str(wanted[name]).replace("'", "")) for name in ("shared_preload_libraries", "max_locks_per_transaction", "max_prepared_transactions") if name in wanted)
    done = run(NEW_BIN + "/pg_upgrade", "-b", OLD_BIN, "-B", NEW_BIN, "-d", OLD, "-D", NEW, "-U", "postgres", "--socketdir=" + work, "-o", "-c archive_mode=off -c synchronous_standby_names=''", "-O", own + " -c huge_pages=off", *more, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 0: return
    told = run("sh", "-c", 'tail -n 12; find "$1/pg_upgrade_output.d" \\\\( -name "*.txt" -o -name "*.log" \\\\) -exec tail -n 3 {} + 2>/dev/null', "sh", NEW, input=done.stdout, stdout=subprocess.PIPE).stdout
    refuse("pg_upgrade finds that its data cannot be taken over: " + " ".join(told.split())[-2500:])

def check():
    """While the former version serves: what would keep the new one from taking over."""
    sockets = "/var/run/postgresql"
    def sql(database, query): return must("ask " + database, OLD_BIN + "/psql", "-h", sockets, "-p", port, "-d", database, "-XtAc", query).splitlines()
    lacking = ["%s (in the database %s)" % (extension, database) for database in sql("postgres", "SELECT datname FROM pg_database WHERE datallowconn")
        for extension in sql(database, "SELECT extname FROM pg_extension") if not os.path.exists("/usr/share/postgresql/%s/extension/%s.control" % (TO, extension))]
    if lacking: refuse("PostgreSQL %s lacks extensions that are in use: %s; install their packages for %s, or drop them" % (TO, ", ".join(lacking), TO))
    write(INSIDE, "\\n".join(inside(OLD_BIN, sockets, port)))
    work = workplace()
    try: pg_upgrade(work, "--check")
    finally: remove(work, NEW + "/pg_upgrade_output.d")

def halt(*servers):
    """Stops PostgreSQL of the leader while Patroni is paused: no other member takes the lead meanwhile."""
    if "halting" not in notes(): look(servers)
    note("halting")
    if not settings().get("pause") and not control("pause", "--wait", scope): die("Patroni was not paused")
    stop(OLD, OLD_BIN)
    # Patroni gives up the lead once it sees that. Else members would take this one for the leader until its lead ends.
    if not until(60, lambda: not leader(members())): die("Patroni does not give up the lead")
    patroni("stop")
    if control_data(OLD, OLD_BIN)["Database cluster state"] != "shut down": die("PostgreSQL was not shut down in order")

def unhalt():
    """The former version leads again."""
    if "halting" not in notes(): return
    if conf["postgresql"]["data_dir"] != OLD: die("${CONF} is still that of PostgreSQL " + TO)
    # It may run with the configuration of the new version.
    patroni("stop")
    stop(NEW, NEW_BIN)
    patroni("start")
    if not until(60, lambda: ask("/patroni")): die("Patroni does not answer: see journalctl -u patroni")
    if settings().get("pause"):
        # While it is paused, no other member can take the lead before this one.
        until(60, lambda: runs(OLD, OLD_BIN) or control("restart", scope, me, "--force"))
        until(60, lambda: (leader(members()) or {}).get("name") == me)
        if not control("resume", "--wait", scope): die("Patroni stays paused: run patronictl -c ${CONF} resume")
    def serves():
        first = leader(members())
        return first and well(first)
    if not until(180, serves): die(no_leader())
    if os.path.exists(BACKUPS): subprocess.run([BACKUPS, "prepare"], stdin=subprocess.DEVNULL, check=False)

def copy():
    """Takes over the data. No client reaches the new version before its content was compared and counted."""
    first_settings = sys.stdin.read()
    if control_data(OLD, OLD_BIN)["Database cluster state"] != "shut down": die("PostgreSQL %s was not shut down in order" % FROM)
    work = workplace()
    try:
        if "copying" in notes(): stop(NEW, NEW_BIN); remove(NEW); initialize()
        note("copying")
        jobs = str(os.cpu_count() or 1)
        pg_upgrade(work, "--jobs=" + jobs)
        identity = text(OLD + "/provisioning.identity") or control_data(OLD, OLD_BIN)["Database system identifier"]
        write(NEW + "/provisioning.identity", identity.strip() + "\\n")
        write(NEW + "/patroni.dynamic.json", first_settings)
        options = "-c port=%s -c listen_addresses='' -c unix_socket_directories=%s -c autovacuum=off -c logging_collector=off" % (port, work)
        must("start PostgreSQL " + TO, NEW_BIN + "/pg_ctl", "-D", NEW, "-s", "-w", "-t", "3600", "-l", work + "/server", "-o", options, "start")
        must("make statistics", NEW_BIN + "/vacuumdb", "-h", work, "-p", port, "--all", "--analyze-only", "--jobs=" + jobs, "-q")
        lost = set(text(INSIDE).splitlines()) - inside(NEW_BIN, work, port)
        if lost: refuse("PostgreSQL %s lacks %s" % (TO, "; ".join(sorted(lost))))
        def sql(database, query): return must("ask " + database, NEW_BIN + "/psql", "-h", work, "-p", port, "-d", database, "-XtAc", query)
        write(NEW + "/provisioning.baseline", "%d\\n" % count(sql))
        must("stop PostgreSQL " + TO, NEW_BIN + "/pg_ctl", "-D", NEW, "-s", "-m", "fast", "-w", "-t", "3600", "stop")
    finally: stop(NEW, NEW_BIN); remove(work)

def clear():
    """Removes what etcd has of a former attempt, under the name of the new version."""
    others = [one["Member"] for one in json.loads(subprocess.run(["patronictl", "-c", "${CONF}", "list", "-f", "json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, text=True).stdout or "[]") if one.get("State") in ("running", "streaming")]
    if others: die("members of PostgreSQL %s run: %s" % (TO, ", ".join(others)))
    def forgotten():
        done = subprocess.run(["patronictl", "-c", "${CONF}", "remove", scope], input="%s\\nYes I am aware\\n" % scope, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        told.append(done.stdout.strip()[-300:])
        return done.returncode == 0
    # A lead that was not given up ends by itself.
    told = []
    if not until(60, forgotten): die("etcd keeps the state of a former attempt: " + told[-1])
`;

/** What a member does that gets a copy of the upgraded data. */
const FOLLOWER = `
def await_leader(api_port, *servers):
    """Fails unless a member leads the new version: the data of this one is replaced by a copy from there."""
    def leads(server):
        for scheme in ("https", "http") if trust else ("http",):
            try:
                with urllib.request.urlopen("%s://%s:%s/patroni" % (scheme, server, api_port), timeout=5, context=trust if scheme == "https" else None) as answer: status = json.load(answer)
            except (OSError, ValueError, http.client.HTTPException): continue
            return status.get("role") in ("master", "primary") and status.get("state") == "running" and status.get("server_version", 0) // 10000 == int(TO)
    found = until(60, lambda: next((one for one in servers if leads(one)), None))
    if not found: refuse("no member leads PostgreSQL %s yet: its leader is upgraded first" % TO)
    print(found + " leads PostgreSQL " + TO)
    need_room()

def leave_former():
    """Stops the former version here. Its data stays."""
    # Paused, Patroni leaves PostgreSQL running.
    patroni("stop")
    stop(OLD, OLD_BIN)
    if os.path.isdir(NEW) and os.listdir(NEW): run("mv", "-T", "--", NEW, "%s.before-%d" % (NEW, time.time()), check=True)

def return_to_former():
    if conf["postgresql"]["data_dir"] != OLD: die("${CONF} is still that of PostgreSQL " + TO)
    patroni("stop")
    # A copy of what the leader of the new version has.
    drop_new()
    patroni("start")
    # While Patroni is paused it starts no PostgreSQL by itself, and follows once the former leader is back.
    if until(60, lambda: ask("/patroni")) and settings().get("pause"): control("restart", scope, me, "--force")
`;

const ACTIONS =
  '{"ready": ready, "make": make, "unmake": unmake, "check": check, "halt": halt, "unhalt": unhalt, "copy": copy, "clear": clear, "await-leader": await_leader, "leave-former": leave_former, "return-to-former": return_to_former, "keep-writes": keep_writes}[action](*sys.argv[4:])';

/** The program of an upgrade. It is a file of the host, because each step would have a copy of it otherwise. */
export const UPGRADE_TEXT = `#!/usr/bin/python3\n${MANAGED_FILE_HEADER}\n${HEAD}${GUARD}${LEADER}${FOLLOWER}${ACTIONS}\n`;

export type UpgradeAction =
  | 'ready'
  | 'make'
  | 'unmake'
  | 'check'
  | 'halt'
  | 'unhalt'
  | 'copy'
  | 'clear'
  | 'await-leader'
  | 'leave-former'
  | 'return-to-former'
  | 'keep-writes';

/** The script of a step of an upgrade between two versions. */
export const upgradeAction = (action: UpgradeAction, from: string, to: string, ...words: (string | number)[]): string =>
  sh`${[UPGRADE_PROGRAM, action, from, to, ...words.map(String)]}`;
