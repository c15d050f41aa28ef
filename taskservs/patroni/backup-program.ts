import { BACKUP_CONF, CONF, SETPRIV_POSTGRES } from './places.js';
import { PRELUDE } from './program-prelude.js';

/**
 * Makes backups by pgbackrest and restores them. A restore in place has these parts, each on its members:
 * `stop` on the followers, `restore TIME` on the leader, `start` on the followers. If `restore` fails, the former data
 * serves again. `beside TIME FOLDER` writes a copy of the data, and changes nothing else.
 *
 * @param fullDays age in days of a full backup after which the next backup is a full one
 */
export const backupProgram = (fullDays: number): string => `${PRELUDE}
import datetime, pwd, shutil, signal
data = conf["postgresql"]["data_dir"]
POSTGRES = "${SETPRIV_POSTGRES}".split()
# An option, and no variable: the command that fetches the log during a restore then has it, too.
BACKREST = ["pgbackrest", "--config=${BACKUP_CONF}", "--stanza=" + scope]

def die(why): raise SystemExit(why)

def run(*words, **more):
    env = dict(os.environ, HOME="/var/lib/postgresql")
    if "input" not in more: more["stdin"] = subprocess.DEVNULL
    return subprocess.run([*POSTGRES, *words], cwd="/", env=env, text=True, **more)

def backrest(*words):
    done = run(*BACKREST, *words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.strip().splitlines() or ["exit code %d" % done.returncode]
    if done.returncode != 0: die("pgbackrest %s: %s" % (words[-1], next((line for line in lines if "ERROR" in line), lines[-1])[:500]))

def info():
    done = run(*BACKREST, "info", "--output=json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0: die("the repository of the backups does not open: " + (done.stderr or done.stdout).strip()[-500:])
    found = next((one for one in json.loads(done.stdout) if one["name"] == scope), {})
    # Its exit code is 0 if the repository does not open. Codes of a repository that has not begun are below 99.
    closed = [one["status"]["message"] for one in found.get("repo", []) if one["status"]["code"] == 99]
    if closed: die("the repository of the backups does not open: " + closed[0].splitlines()[0][:500])
    return found

def leads():
    status = ask("/patroni") or {}
    return status.get("role") in ("master", "primary") and (leader(members()) or {}).get("name") == me

def kept(): return [one for one in info().get("backup", []) if not one.get("error")]

def begin():
    """Begins the repository. It does nothing if the repository has begun."""
    backrest("stanza-create")

def prepare():
    found = info()
    if not leads(): print("the repository opens; the member that leads begins it"); return
    begin()
    if not found.get("backup"): subprocess.run(["systemctl", "start", "--no-block", "provisioning-pgbackrest.service"], check=False)

def make():
    if not leads(): print("this member follows: the member that leads makes the backup"); return
    begin()
    full = [one["timestamp"]["stop"] for one in kept() if one["type"] == "full"]
    is_recent = full and time.time() - max(full) < ${fullDays} * 86400
    backrest("--type=" + ("incr" if is_recent else "full"), "backup")

def listed():
    """Backups, oldest first, and whether this member leads."""
    shown = [{"id": one["label"], "type": one["type"], "time": datetime.datetime.fromtimestamp(one["timestamp"]["stop"], datetime.timezone.utc).isoformat(),
        "size": one["info"]["size"]} for one in kept()]
    print(json.dumps({"name": me, "cluster": scope, "leads": leads(), "data": data, "backups": shown}))

def restore_into(folder, target, *more):
    wanted = ["--type=time", "--target=" + target.replace("T", " ").replace("Z", "+00"), "--target-action=promote"] if target != "newest" else ["--type=immediate", "--target-action=promote"]
    # As postgres, who owns the folder above: root must follow no link there.
    run("mkdir", "-m", "0700", folder, check=True)
    backrest("--pg1-path=" + folder, *wanted, *more, "restore")

def beside(target, folder):
    try: restore_into(folder, target, "--archive-mode=off")
    except BaseException:
        run("rm", "-rf", "--", folder); raise

def recover():
    """Replays the log up to the target by a server that no client reaches, and stops it."""
    sockets = "/run/provisioning-restore"
    shutil.rmtree(sockets, ignore_errors=True)
    os.mkdir(sockets, 0o700)
    owner = pwd.getpwnam("postgres")
    os.chown(sockets, owner.pw_uid, owner.pw_gid)
    log = sockets + "/log"
    # The history of the new timeline must reach the repository, too. Without hot standby, limits of before do not matter.
    options = "-c listen_addresses='' -c unix_socket_directories=%s -c port=%s -c hot_standby=off -c archive_mode=on -c synchronous_standby_names='' -c archive_command='pgbackrest --config=${BACKUP_CONF} --stanza=%s archive-push \\"%%p\\"' -c logging_collector=off -c log_destination=stderr" % (sockets, port, scope)
    def last():
        shown = run("tail", "-n", "100", log, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
        return next((line for line in reversed(shown) if "FATAL" in line or "ERROR" in line), "see " + log)[:300]
    if run(bin + "/pg_ctl", "-D", data, "-l", log, "-t", "86400", "-w", "-o", options, "start", stdout=subprocess.DEVNULL).returncode != 0: die("the log cannot be replayed: " + last())
    try:
        while True:
            found = run(bin + "/psql", "-h", sockets, "-p", port, "-d", "postgres", "-XtAc", "SELECT pg_is_in_recovery()", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if found.stdout.strip() == "f": break
            if run(bin + "/pg_ctl", "-D", data, "status", stdout=subprocess.DEVNULL).returncode != 0: die("the log cannot be replayed up to that time: " + last())
            time.sleep(1)
    finally:
        run(bin + "/pg_ctl", "-D", data, "-m", "fast", "-t", "3600", "-w", "stop", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # A member that follows would stop at the target again.
    auto = data + "/postgresql.auto.conf"
    run("sed", "-i", "-E", "/^(restore_command|recovery_[a-z_]+|archive_mode) *=/d", auto, check=True)
    shutil.rmtree(sockets, ignore_errors=True)

def forget():
    """Removes what etcd has of the cluster: its positions in the log are later than those of the restored data."""
    answers = "%s\\nYes I am aware\\n" % scope
    done = subprocess.run(["patronictl", "-c", "${CONF}", "remove", scope], input=answers, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0: die("etcd keeps the state of the cluster: " + done.stdout.strip()[-300:])

def leading():
    def look(): return leads() and local("SELECT pg_is_in_recovery()") == "f"
    return until(180, look)

def patroni(verb): subprocess.run(["systemctl", verb, "patroni"], check=verb == "start")

def restore(target):
    """Replaces the data of this member, which leads, by that of a time. All others must be stopped."""
    of, settings = members(), ask("/config")
    if not settings or not leads(): die("this member does not lead the cluster " + scope)
    others = [one["name"] for one in of if one["name"] != me and well(one)]
    if others: die("other members run: " + ", ".join(others))
    size = int(run("du", "-sk", data, stdout=subprocess.PIPE).stdout.split()[0]) * 1024
    free = shutil.disk_usage(os.path.dirname(data)).free
    if free < size * 1.1: die("the restored data needs %d MiB beside the former data, and %d MiB are free" % (size * 1.1 / 2**20, free / 2**20))
    # The replay ends at the first transaction after the target, so there must be one.
    if local("SET synchronous_commit = 'local'; SELECT pg_current_xact_id()") is None: die("the leader takes no writes")
    # All that is acknowledged reaches the repository, so that a restore to a later moment stays possible.
    backrest("check")
    former = "%s.before-restore-%s" % (data, time.strftime("%Y%m%d%H%M%S", time.gmtime()))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    patroni("stop")
    run("mv", "-T", data, former, check=True)
    try:
        restore_into(data, target)
        recover()
        run("tee", data + "/patroni.dynamic.json", input=json.dumps(settings), stdout=subprocess.DEVNULL, check=True)
        forget()
        patroni("start")
        if not leading(): die("the restored data does not serve: see journalctl -u patroni")
    except BaseException as error:
        patroni("stop")
        run("rm", "-rf", "--", data)
        run("mv", "-T", former, data, check=True)
        patroni("start")
        die("%s; %s" % (error, "the former data serves again" if leading() else "the former data is back, and does not serve yet"))
    print(json.dumps({"former": former}))

def stop(): patroni("stop")
def start(): patroni("start"); joined()

{"make": make, "prepare": prepare, "list": listed, "beside": beside, "restore": restore, "stop": stop, "start": start}[sys.argv[1]](*sys.argv[2:])`;
