import { quote, sh } from '../../sdk/index.js';
import { CONF } from './places.js';
import { PRELUDE } from './program-prelude.js';

/**
 * Looks at the cluster by Patroni's REST API, and acts by `patronictl`. In Python, which Patroni brings along. It decides
 * from what it finds at that moment: the leader may have changed since the plan. It never calls a fail-over: that is
 * Patroni's to decide.
 */
const PROGRAM = `${PRELUDE}
def ready_to_lead(of, who, most=None):
    """Members that may lead instead of another one: with synchronous replication only those that confirm commits."""
    synchronous = (ask("/config") or {}).get("synchronous_mode")
    def near(one): return most is None or (isinstance(one.get("lag"), int) and one["lag"] <= int(most))
    return [one for one in of if one["name"] != who and well(one) and (one["role"] == "sync_standby" if synchronous else near(one))]

def switch_over(who, most, to=""):
    """Gives the lead of a member to another one, if that is ready now. Else it changes nothing."""
    first = until(30, lambda: leader(members()))
    if not first: die(no_leader())
    if first["name"] == to or (first["name"] != who and not to): print(first["name"] + " leads"); return
    if first["name"] != who: die("%s leads %s by now, and not %s: nothing was changed" % (first["name"], scope, who))
    found = until(20, lambda: [one for one in ready_to_lead(members(), who, most) if to in ("", one["name"])])
    if not found: die("%s is not ready to lead %s: nothing was changed: %s" % (to or "no other member", scope, shown(members())))
    next_one = found[0]["name"]
    control("switchover", scope, "--leader", who, "--candidate", next_one, "--force")
    # The answer may be lost: the cluster itself says who leads.
    def over():
        of = members(); now = leader(of)
        former = next((one for one in of if one["name"] == who), None)
        return now and now["name"] != who and well(now) and former and well(former) and now
    now = until(120, over)
    if not now: die("%s has no leader other than %s, or that does not follow yet: %s" % (scope, who, shown(members())))
    if now["name"] != next_one: die("%s leads %s now, and not %s" % (now["name"], scope, next_one))
    print(next_one + " leads")

def hand_over(who=me):
    """Gives the lead to another member, if a member has it. Fails if the cluster could not do without that member."""
    if not ask("/patroni"): print("Patroni does not run here: there is nothing to hand over"); return
    def led():
        of = members()
        return of if leader(of) else None
    found = until(60, led)
    if not found: die(no_leader())
    if not any(one["name"] != who for one in found): print("this member is alone: there is no other to lead"); return
    if not any(one["name"] == who for one in found): print(who + " is no member any more"); return
    def ready():
        of = members(); first = leader(of)
        if not first: return None
        if first["name"] == who: return ready_to_lead(of, who)
        return len(of) < 3 or any(one["name"] != who and one is not first and well(one) for one in of)
    if not until(90, ready):
        die("%s cannot be taken out now: no other member of %s is ready to take its part: %s" % (who, scope, shown(members())))
    for _ in range(3):
        of = members(); first = leader(of)
        if first and first["name"] != who: print(first["name"] + " leads"); return
        next_ones = ready_to_lead(of, who)
        if first and next_ones and control("switchover", scope, "--leader", who, "--candidate", next_ones[0]["name"], "--force"): break
        time.sleep(3)
    def over():
        of = members(); first = leader(of)
        former = next((one for one in of if one["name"] == who), None)
        return first and first["name"] != who and well(first) and former and well(former)
    if not until(60, over): die("%s did not hand over the lead of %s: %s" % (who, scope, shown(members())))

def needs_restart():
    status = ask("/patroni") or {}
    run = subprocess.run([bin + "/postgres", "--version"], capture_output=True, text=True).stdout.split(") ")[-1].split()[0]
    major, _, minor = run.partition(".")
    newer = minor.isdigit() and int(major) * 10000 + int(minor) > status.get("server_version", 10**9)
    return status.get("pending_restart") or newer

LEADER_FIRST = {"max_connections": 100, "max_locks_per_transaction": 64, "max_prepared_transactions": 0, "max_wal_senders": 10, "max_worker_processes": 8}
def lowered():
    """Whether a setting becomes lower that no follower may have lower than the leader."""
    wanted = (ask("/config") or {}).get("postgresql", {}).get("parameters", {})
    current = json.loads(local("SELECT json_object_agg(name, setting) FROM pg_settings") or "{}")
    pairs = [(str(wanted.get(name, preset)), int(current.get(name, 0))) for name, preset in LEADER_FIRST.items()]
    return any(want.isdigit() and int(want) < now for want, now in pairs)

def restart_leader_first():
    """Restarts a leader in its place, then the members that follow, one after the other."""
    first = leader(members())
    if not first or first["name"] != me: print("the leader must restart first, with the lower settings: its own step does that"); return
    if not control("restart", scope, me, "--force"): die("PostgreSQL was not restarted")
    joined()
    for one in members():
        if one["name"] == me: continue
        name = one["name"]
        # A follower takes a lower setting only once the leader has sent its own, so a restart may come too early.
        end = time.monotonic() + 180
        while True:
            time.sleep(2 * (ask("/config") or {}).get("loop_wait", 10) + 1)
            control("restart", scope, name, "--force", "--pending")
            if not until(120, lambda: any(well(other) for other in members() if other["name"] == name)):
                die("%s does not follow after its restart: %s" % (name, shown(members())))
            if not any(other.get("pending_restart") for other in members() if other["name"] == name): break
            if time.monotonic() > end: die("%s still has the former settings: %s" % (name, shown(members())))

def restart():
    """Restarts PostgreSQL if its settings or its programs need that, once it does not lead."""
    pause = (ask("/config") or {}).get("loop_wait", 10)
    if not until(2 * pause + 1, needs_restart): print("nothing needs a restart"); return
    if lowered(): return restart_leader_first()
    hand_over()
    if needs_restart() and not control("restart", scope, me, "--force"): die("PostgreSQL was not restarted")
    joined()

def on_leader():
    """Runs SQL of the standard input on the leader of this moment, as the superuser."""
    sql = sys.stdin.read()
    first = until(60, lambda: leader(members()))
    if not first: die(no_leader())
    psql = [bin + "/psql", "-d", "postgres", "-Xq", "-v", "ON_ERROR_STOP=1"]
    env = dict(os.environ, PGCONNECT_TIMEOUT="10")
    if first["name"] == me:
        sys.exit(subprocess.run(["runuser", "-u", "postgres", "--", *psql, "-p", port], cwd="/", env=env, input=sql, text=True).returncode)
    # While the password changes, the leader has either the wanted one or that of the written file.
    for one in (os.environ.get("SUPERUSER"), conf["postgresql"]["authentication"]["superuser"]["password"]):
        run = subprocess.run([*psql, "-h", first["host"], "-p", str(first["port"]), "-U", "postgres", "-w"], cwd="/",
            env=dict(env, PGPASSWORD=one or ""), input=sql, text=True, capture_output=True)
        if run.returncode == 0: return
    die(run.stderr)

def healthy(most):
    """Whether this member leads, or follows closely enough."""
    status, of = ask("/patroni"), members()
    first = leader(of)
    if not status: die("Patroni does not answer")
    if not first: die(no_leader())
    if status.get("state") != "running": die("PostgreSQL is " + str(status.get("state")))
    if first["name"] == me:
        if local("SELECT pg_is_in_recovery()") != "f": die("it has the lead of %s, and is not promoted yet" % scope)
        strict = (ask("/config") or {}).get("synchronous_mode_strict")
        if strict and len(of) > 1 and not any(one["role"] == "sync_standby" for one in of):
            die("commits wait: no other member of %s confirms them: %s" % (scope, shown(of)))
        print("healthy: it leads"); return
    if local("SELECT status FROM pg_stat_wal_receiver") != "streaming": die("it does not stream from " + first["name"])
    lag = next((one.get("lag") for one in of if one["name"] == me), "unknown")
    if not isinstance(lag, int) or lag > int(most): die("it lacks %s bytes of WAL that %s has" % (lag, first["name"]))
    print("healthy: it follows " + first["name"])

{"hand-over": hand_over, "switch-over": switch_over, "joined": joined, "restart": restart, "on-leader": on_leader, "healthy": healthy}[sys.argv[1]](*sys.argv[2:])`;

/** One of the things that the program does. */
type Action = 'hand-over' | 'switch-over' | 'joined' | 'restart' | 'on-leader' | 'healthy';

/** The script for a step or a check. Its standard input stays free. */
export const act = (action: Action, ...words: (string | number)[]): string =>
  `python3 -c ${quote(PROGRAM)} ${sh`${[action, ...words.map(String)]}`}`;

/** Gives the cluster other settings, read from the standard input or from a text. They are in etcd, so any member may. */
export const giveSettings = (text?: string): string => {
  const control = sh`patronictl -c ${CONF} edit-config --quiet --force --replace -`;
  return text === undefined ? control : `printf %s ${quote(text)} | ${control}`;
};
