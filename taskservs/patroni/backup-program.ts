import { BACKUP_CONF, CONF, SETPRIV_POSTGRES } from './places.js';
import { ALLOW_START, PRELUDE } from './program-prelude.js';

/**
 * Makes backups by pgbackrest and restores them. A restore in place has these parts, each on its members:
 * `stop` on the followers, `restore TIME` on the leader, `start` on the followers. If `restore` fails, the former data
 * serves again. `resume` ends what a killed restore left. `beside TIME FOLDER` writes a copy of the data, and changes
 * nothing else.
 *
 * @param fullDays age in days of a full backup after which the next backup is a full one
 */
export const backupProgram = (fullDays: number): string => `${PRELUDE}
${ALLOW_START}
import datetime, fcntl, pwd, shutil, signal
data = conf["postgresql"]["data_dir"]
# The data that a restore makes, and the record of a restore that has not ended.
fresh, record = data + ".restoring", data + ".restore.json"
POSTGRES = "${SETPRIV_POSTGRES}".split()
# If this program is killed, what it runs ends as well.
POSTGRES[1:1] = ["--pdeathsig", "TERM"]
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

held = []
def lock(seconds):
    """Keeps other backups and restores of this host away until this program ends."""
    held.append(os.open("/run/provisioning-pgbackrest.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    def take():
        try: fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError: return False
        return True
    if not until(seconds, take): die("another backup or restore is under way on this member")

def leads():
    status = ask("/patroni") or {}
    return status.get("role") in ("master", "primary") and (leader(members()) or {}).get("name") == me

def kept(): return [one for one in info().get("backup", []) if not one.get("error")]

def begin():
    """Begins the repository, or has it take data of another major version. It does nothing if the repository has begun."""
    known = [str(one.get("system-id")) for one in info().get("db", [])]
    own = local("SELECT system_identifier FROM pg_control_system()")
    # Data of another major version has another identifier, and the former one in a file. Other data must not go into this repository.
    former = run("cat", data + "/provisioning.identity", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    if known and own and own != known[-1] and (own in known or former in known): backrest("stanza-upgrade")
    else: backrest("stanza-create")

def prepare():
    found = info()
    if not leads(): print("the repository opens; the member that leads begins it"); return
    begin()
    # Before its restart PostgreSQL archives no log yet, and a backup would fail. The timer makes it then.
    if not found.get("backup") and local("SHOW archive_mode") == "on": subprocess.run(["systemctl", "start", "--no-block", "provisioning-pgbackrest.service"], check=False)

def begun():
    """Whether the repository has begun."""
    if leads() and info().get("status", {}).get("code") not in (0, 2): die("the repository of the backups has not begun, so the log of PostgreSQL piles up: provisioning-pgbackrest prepare begins it")
    print("begun")

def archived():
    """Whether the last segment of the log reached the repository."""
    failed = local("SELECT last_failed_wal FROM pg_stat_archiver WHERE last_failed_time > coalesce(last_archived_time, '-infinity')") if leads() else None
    if failed: die("the segment %s of the log does not reach the repository: see the log of PostgreSQL" % failed)
    print("archived")

def role():
    """'leads' or 'follows'. None while no member leads, or while Patroni does not answer."""
    if leads(): return "leads"
    first = leader(members())
    return "follows" if first and first["name"] != me and well(first) else None

def make():
    lock(300)
    found = until(300, role)
    if not found: die("no backup is made: Patroni does not answer here, or no member leads: %s" % shown(members()))
    if found == "follows": print("this member follows: the member that leads makes the backup"); return
    begin()
    full = [one["timestamp"]["stop"] for one in kept() if one["type"] == "full"]
    is_recent = full and time.time() - max(full) < ${fullDays} * 86400
    backrest("--type=" + ("incr" if is_recent else "full"), "backup")

def listed():
    """Backups, oldest first, and whether this member leads."""
    shown = [{"id": one["label"], "type": one["type"], "time": datetime.datetime.fromtimestamp(one["timestamp"]["stop"], datetime.timezone.utc).isoformat(),
        "size": one["info"]["size"]} for one in kept()]
    print(json.dumps({"name": me, "cluster": scope, "leads": leads(), "unfinished": os.path.lexists(record), "data": data, "backups": shown}))

def restore_into(folder, target, timeline, *more):
    wanted = ["--type=time", "--target=" + target.replace("T", " ").replace("Z", "+00"), "--target-action=promote"] if target != "newest" else ["--type=immediate", "--target-action=promote"]
    # The newest timeline may be that of a restore that failed.
    # The end of a backup is on its own timeline, and pgbackrest takes no other option for it.
    if target == "newest": wanted.append("--recovery-option=recovery_target_timeline=current")
    elif timeline: wanted.append("--target-timeline=%d" % timeline)
    # As postgres, who owns the folder above: root must follow no link there.
    run("mkdir", "-m", "0700", folder, check=True)
    backrest("--pg1-path=" + folder, *wanted, *more, "restore")

def need_room(size, folder, what):
    free = shutil.disk_usage(os.path.dirname(folder)).free
    if free < size * 1.1: die("%s needs %d MiB, and %d MiB are free" % (what, size * 1.1 / 2**20, free / 2**20))

def beside(target, folder):
    need_room(max([one["info"]["size"] for one in kept()], default=0), folder, "the copy")
    try: restore_into(folder, target, (leader(members()) or {}).get("timeline"), "--archive-mode=off")
    except BaseException:
        run("rm", "-rf", "--", folder); raise

def recover(folder):
    """Replays the log up to the target by a server that no client reaches, and stops it."""
    sockets = "/run/provisioning-restore"
    shutil.rmtree(sockets, ignore_errors=True)
    os.mkdir(sockets, 0o700)
    owner = pwd.getpwnam("postgres")
    os.chown(sockets, owner.pw_uid, owner.pw_gid)
    log = sockets + "/log"
    # The history of the new timeline must reach the repository, too. Without hot standby, limits of before do not matter.
    options = "-c hba_file=%s/pg_hba.conf -c ident_file=%s/pg_ident.conf -c listen_addresses='' -c unix_socket_directories=%s -c port=%s -c hot_standby=off -c archive_mode=on -c synchronous_standby_names='' -c archive_command='pgbackrest --config=${BACKUP_CONF} --stanza=%s --pg1-path=%s archive-push \\"%%p\\"' -c logging_collector=off -c log_destination=stderr" % (folder, folder, sockets, port, scope, folder)
    def last():
        shown = run("tail", "-n", "100", log, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
        return next((line for line in reversed(shown) if "FATAL" in line or "ERROR" in line), "see " + log)[:300]
    if run(bin + "/pg_ctl", "-D", folder, "-l", log, "-t", "86400", "-w", "-o", options, "start", stdout=subprocess.DEVNULL).returncode != 0: die("the log cannot be replayed: " + last())
    try:
        while True:
            found = run(bin + "/psql", "-h", sockets, "-p", port, "-d", "postgres", "-XtAc", "SELECT pg_is_in_recovery()", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if found.stdout.strip() == "f": break
            if run(bin + "/pg_ctl", "-D", folder, "status", stdout=subprocess.DEVNULL).returncode != 0: die("the log cannot be replayed up to that time: " + last())
            time.sleep(1)
    finally:
        run(bin + "/pg_ctl", "-D", folder, "-m", "fast", "-t", "3600", "-w", "stop", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # A member that follows would stop at the target again.
    auto = folder + "/postgresql.auto.conf"
    run("sed", "-i", "-E", "/^(restore_command|recovery_[a-z_]+|archive_mode) *=/d", auto, check=True)
    shutil.rmtree(sockets, ignore_errors=True)

def forget():
    """Removes what etcd has of the cluster: its positions in the log are later than those of the restored data."""
    def others():
        done = subprocess.run(["patronictl", "-c", "${CONF}", "list", "-f", "json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0: die("etcd does not tell its members: " + done.stderr.strip()[-300:])
        return [one["Member"] for one in json.loads(done.stdout or "[]") if one["Member"] != me and one.get("State") != "stopped"]
    # A member that is lost stays in etcd until its entry expires.
    if not until(60, lambda: not others()): die("other members run: " + ", ".join(others()))
    answers = "%s\\nYes I am aware\\n" % scope
    done = subprocess.run(["patronictl", "-c", "${CONF}", "remove", scope], input=answers, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0: die("etcd keeps the state of the cluster: " + done.stdout.strip()[-300:])

def leading():
    def look(): return leads() and local("SELECT pg_is_in_recovery()") == "f"
    return until(180, look)

def patroni(verb):
    if verb == "start": allow_start()
    subprocess.run(["systemctl", verb, "patroni"], check=verb == "start")

def halt():
    """Stops Patroni and PostgreSQL. Patroni may leave PostgreSQL running, if its stop takes long or if it is paused."""
    patroni("stop")
    def status(): return run(bin + "/pg_ctl", "-D", data, "status", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    if os.path.isdir(data) and status() == 0: run(bin + "/pg_ctl", "-D", data, "-m", "fast", "-t", "600", "-w", "stop", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # 3: it does not run. 4: no data.
    if not until(10, lambda: status() in (3, 4)): die("PostgreSQL does not stop")

def rename(old, new): run("mv", "-T", "--", old, new, check=True)
def finish(*folders): run("rm", "-rf", "--", fresh, record, *folders)

def serve():
    """Lets the restored data lead."""
    forget()
    patroni("start")
    if not leading(): die("the restored data does not serve: see journalctl -u patroni")
    finish()

def back(former):
    """Lets the former data lead again, wherever the restore stopped. Nothing is removed before it is in its place."""
    try:
        halt()
        if os.path.isdir(former):
            if os.path.isdir(data): rename(data, former + ".failed")
            rename(former, data)
    finally: patroni("start")
    served = leading()
    finish(former + ".failed")
    return "the former data serves again" if served else "the former data is back, and does not serve yet"

def resume():
    """Ends a restore whose program was killed: the restored data serves if it is complete, else the former data."""
    if not os.path.lexists(record): return
    former = json.loads(run("cat", record, stdout=subprocess.PIPE, check=True).stdout)["former"]
    if not former.startswith(data + ".before-restore-"): die("%s names other data: %s" % (record, former))
    run(bin + "/pg_ctl", "-D", fresh, "-m", "fast", "-w", "stop", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if leads(): finish(former + ".failed"); print("the interrupted restore has ended"); return
    try:
        if os.path.isdir(fresh) or not (os.path.isdir(data) and os.path.isdir(former)): die("the restore was interrupted")
        halt()
        serve()
        print("the interrupted restore has ended")
    except BaseException as error: print("%s; %s" % (error, back(former)))

def ended(*_): die("it was ended by a signal")

def restore(target):
    """Replaces the data of this member, which leads, by that of a time. All others must be stopped."""
    lock(60)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, ended)
    resume()
    of, settings = members(), ask("/config")
    if not settings or not leads(): die("this member does not lead the cluster " + scope)
    if settings.get("pause"): die("Patroni is paused: first run patronictl -c ${CONF} resume")
    others = [one["name"] for one in of if one["name"] != me and well(one)]
    if others: die("other members run: " + ", ".join(others))
    timeline = (leader(of) or {}).get("timeline")
    size = int(run("du", "-sk", data, stdout=subprocess.PIPE).stdout.split()[0]) * 1024
    need_room(size, data, "the restored data, beside the former data,")
    # The replay ends at the first transaction after the target, so there must be one.
    if local("SET synchronous_commit = 'local'; SELECT pg_current_xact_id()") is None: die("the leader takes no writes")
    # All that is acknowledged reaches the repository, so that a restore to a later moment stays possible.
    backrest("check")
    former = "%s.before-restore-%s" % (data, time.strftime("%Y%m%d%H%M%S", time.gmtime()))
    try:
        finish()
        run("tee", record, input=json.dumps({"former": former}), stdout=subprocess.DEVNULL, check=True)
        halt()
        restore_into(fresh, target, timeline)
        recover(fresh)
        run("tee", fresh + "/patroni.dynamic.json", input=json.dumps(settings), stdout=subprocess.DEVNULL, check=True)
        rename(data, former)
        rename(fresh, data)
        serve()
    except BaseException as error:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        die("%s; %s" % (error, back(former)))
    print(json.dumps({"former": former}))

def stop(): halt()
def start(): patroni("start"); joined()

def resume_here(): lock(60); resume()

{"make": make, "prepare": prepare, "list": listed, "beside": beside, "restore": restore, "resume": resume_here, "begun": begun, "archived": archived, "stop": stop, "start": start}[sys.argv[1]](*sys.argv[2:])`;
