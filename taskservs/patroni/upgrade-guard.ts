import { CONF } from './places.js';

/**
 * The part of the upgrade's program that keeps a roll-back from losing writes: rows are counted before a client reaches the
 * new version, and again before it is left.
 */
export const GUARD = `
BACKUPS = "/usr/local/sbin/provisioning-pgbackrest"

def count(sql):
    """Rows written, by whomever. What autovacuum writes is left out, as are the roles and databases of the definition."""
    query = "SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_all_tables WHERE schemaname <> 'pg_toast' AND relname NOT IN ('pg_statistic', 'pg_statistic_ext_data', 'pg_authid', 'pg_auth_members', 'pg_database', 'pg_db_role_setting')"
    return sum(int(sql(database, query)) for database in sql("postgres", "SELECT datname FROM pg_database WHERE datallowconn").splitlines())

class Silent(Exception): """No answer of the leader."""

def on_leader(database, query):
    first = until(60, lambda: leader(members()))
    if not first: raise Silent(no_leader())
    if first["name"] == me: words, env = [*POSTGRES, NEW_BIN + "/psql", "-p", port], {}
    else: words, env = [NEW_BIN + "/psql", "-h", first["host"], "-p", str(first["port"]), "-U", "postgres", "-w"], {"PGPASSWORD": conf["postgresql"]["authentication"]["superuser"]["password"]}
    done = subprocess.run([*words, "-d", database, "-XtAqc", query], cwd="/", env=dict(os.environ, PGCONNECT_TIMEOUT="10", **env), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0: raise Silent("the leader of PostgreSQL %s does not answer, so that nothing tells whether it has taken writes: %s" % (TO, done.stderr.strip()[-300:]))
    return done.stdout.strip()

def give(to):
    done = subprocess.run(["patronictl", "-c", "${CONF}", "edit-config", "--quiet", "--force", "--replace", "-"], input=to, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0: die("etcd does not take the settings: " + done.stdout.strip()[-300:])

def none_written():
    """Ends all sessions, and compares the rows with those before the first client. A file takes the answer of a person."""
    on_leader("postgres", "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
    # A session tells what it wrote once it ends, at the latest.
    time.sleep(2)
    before = on_leader("postgres", "SELECT pg_read_file('provisioning.baseline', true)")
    if before and int(before) == count(on_leader): return True
    return on_leader("postgres", "SELECT (pg_stat_file('%s', true)).size IS NOT NULL" % LOSE) == "t"

def keep_writes(closed, opened):
    """Before the new version is left: clients are kept out, and are let in again if one of them has written."""
    if conf["postgresql"]["data_dir"] != NEW: return
    shown = subprocess.run(["patronictl", "-c", "${CONF}", "show-config"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    now = yaml.safe_load(shown.stdout) if shown.returncode == 0 else None
    # No client was let in yet, or another member has looked. The new version may not even run.
    if now and now.get("postgresql", {}).get("pg_hba") == json.loads(closed)["postgresql"]["pg_hba"]: return
    # Rules with this mark do not say that nothing was written: the look may end before its answer.
    looking = json.loads(closed)
    looking["postgresql"]["pg_hba"].append("# a roll-back looks for writes")
    give(json.dumps(looking))
    try:
        time.sleep(2 * (ask("/config") or {}).get("loop_wait", 10) + 2)
        none = none_written()
    except Silent as why: give(opened); die(str(why))
    if none: give(closed); return
    give(opened)
    die("cannot go back from PostgreSQL %s to %s: %s has taken writes since it serves, and %s has not: to go back without them, run \\"touch %s\\" on the leader, %s, and roll back again" % (TO, FROM, TO, FROM, LOSE, (leader(members()) or {}).get("name")))
`;
