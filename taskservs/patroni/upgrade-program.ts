import { MANAGED_FILE_HEADER, sh } from '../../sdk/index.js';
import { CONF, UPGRADE_PROGRAM } from './places.js';
import { GUARD } from './upgrade-guard.js';
import { HEAD } from './upgrade-head.js';

/** What the member does whose data is upgraded: the leader. */
const LEADER = `
def look(servers):
    """Whether this member leads, and all others follow it."""
    def faults():
        first = leader(members())
        if not first or first["name"] != me: return "%s leads, and not %s: nothing was changed; run the command again" % (first["name"] if first else "no member", me)
        if settings().get("pause"): return "Patroni is paused: first run patronictl -c ${CONF} resume"
        return fault(servers)
    found = until_none(30, faults)
    if found: refuse(found)

def need_room_at(server, need):
    """Asks the host of another member by its PostgreSQL. Its turn comes when clients are kept out already."""
    at = until(10, lambda: next((one for one in members() if one["name"] == server), None))
    if not at: refuse("%s is no member: %s" % (server, shown(members())))
    sql = "COPY (SELECT 1) TO PROGRAM 'cat >/dev/null; cd /var/lib/postgresql; if [ -d %s ]; then cd %s; fi; [ $(df -k --output=avail . | tail -n 1) -ge %d ] || exit 42'" % (TO, TO, need / 1024)
    env = {"PGPASSWORD": conf["postgresql"]["authentication"]["superuser"]["password"], "PGCONNECT_TIMEOUT": "10"}
    done = subprocess.run([OLD_BIN + "/psql", "-h", at["host"], "-p", str(at["port"]), "-U", "postgres", "-w", "-d", "postgres", "-XtAqc", sql], cwd="/", env=dict(os.environ, **env), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if "exit code 42" in done.stderr: refuse("%s gets a copy of the data, for which %s have to be free in /var/lib/postgresql there" % (server, size(need)))
    if done.returncode != 0: refuse("%s does not tell how much room it has: %s" % (server, done.stderr.strip()[-300:]))

def ready(*servers):
    look(servers)
    need = needed()
    need_room(need)
    for server in servers: need_room_at(server, need)

def make():
    """Makes an empty cluster of the new version, in place of one that a former attempt left."""
    if os.path.isdir(NEW) and os.listdir(NEW) and "from " + FROM not in notes(): refuse(NEW + " holds data already")
    # What a person once decided about other writes does not count.
    remove(LOSE)
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
    if "from " + FROM in notes(): drop_new()

def workplace(): return run("mktemp", "-d", "/var/lib/postgresql/upgrade.XXXXXX", stdout=subprocess.PIPE, check=True).stdout.strip()

def inside(at_bin, sockets, at_port):
    """Roles and databases, which the upgrade must not lose."""
    sql = "SELECT 'the role ' || rolname FROM pg_roles WHERE rolname !~ '^pg_' UNION ALL SELECT format('the database %s of %s, %s, %s', datname, pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate) FROM pg_database"
    return set(must("list roles and databases", at_bin + "/psql", "-h", sockets, "-p", at_port, "-d", "postgres", "-XtAc", sql).splitlines())

def own_settings():
    """Options for a server that reads no settings of Patroni, and would not start or load all without these."""
    wanted = (settings() or json.loads(text(OLD + "/patroni.dynamic.json") or "{}")).get("postgresql", {}).get("parameters", {})
    return " ".join("-c %s='%s'" % (name, str(wanted[name]).replace("'", "")) for name in ("shared_preload_libraries", "max_locks_per_transaction", "max_prepared_transactions") if name in wanted) + " -c huge_pages=off"

def pg_upgrade(work, *more):
    """The programs of both versions run on private sockets, without archiving and without the names of members."""
    done = run(NEW_BIN + "/pg_upgrade", "-b", OLD_BIN, "-B", NEW_BIN, "-d", OLD, "-D", NEW, "-U", "postgres", "--socketdir=" + work, "-o", "-c archive_mode=off -c synchronous_standby_names=''", "-O", own_settings(), *more, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
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
    """The former version leads again, and the others follow."""
    if "halting" not in notes(): return
    if conf["postgresql"]["data_dir"] != OLD: die("${CONF} is still that of PostgreSQL " + TO)
    # It may run with the configuration of the new version.
    patroni("stop")
    stop(NEW, NEW_BIN)
    patroni("start")
    answers()
    if settings().get("pause"):
        # While it is paused, no other member can take the lead before this one.
        until(60, lambda: runs(OLD, OLD_BIN) or control("restart", scope, me, "--force"))
        until(60, lambda: (leader(members()) or {}).get("name") == me)
        # If this one does not run by now, another member with all acknowledged writes may lead.
        if not control("resume", "--wait", scope): die("Patroni stays paused: run patronictl -c ${CONF} resume")
    if not until(180, lambda: well(leader(members()) or {"state": "missing"})): die(no_leader())
    if os.path.exists(BACKUPS): subprocess.run([BACKUPS, "prepare"], stdin=subprocess.DEVNULL, check=False)
    lacking = until_none(180, fault)
    if lacking: die("PostgreSQL %s leads again, but %s; see journalctl -u patroni there" % (FROM, lacking))

def copy():
    """Takes over the data. No client reaches the new version before its content was compared and counted."""
    first_settings = sys.stdin.read()
    # If the host was restarted since, it runs again.
    patroni("stop")
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
        options = "-c port=%s -c listen_addresses='' -c unix_socket_directories=%s -c autovacuum=off -c logging_collector=off %s" % (port, work, own_settings())
        must("start PostgreSQL " + TO, NEW_BIN + "/pg_ctl", "-D", NEW, "-s", "-w", "-t", "3600", "-l", work + "/server", "-o", options, "start")
        must("make statistics", NEW_BIN + "/vacuumdb", "-h", work, "-p", port, "--all", "--analyze-only", "--jobs=" + jobs, "-q")
        lost = set(text(INSIDE).splitlines()) - inside(NEW_BIN, work, port)
        if lost: refuse("PostgreSQL %s lacks %s" % (TO, "; ".join(sorted(lost))))
        def sql(database, query): return must("ask " + database, NEW_BIN + "/psql", "-h", work, "-p", port, "-d", database, "-XtAc", query)
        write(NEW + "/provisioning.baseline", "%d\\n" % count(sql))
        must("stop PostgreSQL " + TO, NEW_BIN + "/pg_ctl", "-D", NEW, "-s", "-m", "fast", "-w", "-t", "3600", "stop")
    finally: stop(NEW, NEW_BIN); remove(work)

def clear():
    """Empties the place of the new version in etcd, which a former attempt may have used. A member there is listed as long as its Patroni runs."""
    def there(*words, **more): return subprocess.run(["patronictl", "-c", "${CONF}", *words], env=dict(os.environ, PATRONI_NAMESPACE="/patroni/%s/" % TO), stdout=subprocess.PIPE, text=True, **more)
    def runners():
        done = there("list", scope, "-f", "json", stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0: return "etcd does not tell what it has: " + done.stderr.strip()[-300:]
        listed = [one["Member"] for one in json.loads(done.stdout or "[]")]
        return "Patroni of PostgreSQL %s runs on %s" % (TO, ", ".join(listed)) if listed else None
    def rest():
        done = there("remove", scope, input="%s\\nYes I am aware\\n" % scope, stderr=subprocess.STDOUT)
        return "etcd keeps the state of a former attempt: " + done.stdout.strip()[-300:] if done.returncode != 0 else None
    found = until_none(60, runners) or until_none(60, rest)
    if found: refuse(found)
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
    need_room(needed())

def leave_former():
    """Stops the former version here. Its data stays. From the note on, all data of the new version is a copy."""
    if "leaving" not in notes():
        if runs(NEW, NEW_BIN): refuse("PostgreSQL %s runs in %s already" % (TO, NEW))
        if os.path.isdir(NEW) and os.listdir(NEW): set_aside("before")
        run("mkdir", "-p", "-m", "0755", HOME, check=True)
        note("leaving")
    # Paused, Patroni leaves PostgreSQL running.
    patroni("stop")
    stop(OLD, OLD_BIN)

def return_to_former():
    if conf["postgresql"]["data_dir"] != OLD: die("${CONF} is still that of PostgreSQL " + TO)
    patroni("stop")
    if "leaving" in notes(): drop_new()
    patroni("start")
    answers()
    # While Patroni is paused it starts no PostgreSQL by itself, and follows once the former leader is back.
    if settings().get("pause"): control("restart", scope, me, "--force")
    else: joined()
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
