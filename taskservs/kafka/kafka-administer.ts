import { quote } from '../../sdk/index.js';
import { CONF, DATA } from './kafka-places.js';
import { PROTOCOL } from './kafka-protocol.js';

/** Seconds for one answer. The platform waits 8 s for all answers of a host, and takes it for silent then. */
const ANSWER_SECONDS = 2;

/** Seconds for data to arrive. Less than the hour that the platform waits for a step. */
const DATA_SECONDS = 45 * 60;

/** Seconds in which a member answers that runs, and another one is found. */
const PATIENCE_SECONDS = 90;

/** Seconds in which it is to be known whether others have the cluster. */
const ALONE_SECONDS = 30;

/** Milliseconds since it had everything, after which a voter does not count for the majority. */
const BEHIND_MS = 10_000;

const PROGRAM = `import os, subprocess
${PROTOCOL}
class Wait(Exception):
    pass
def connect(at, timeout=5):
    return Broker(at, tls, timeout)
def count_current(leader, voters, without=None):
    now = max([one[3] for one in voters if one[0] == leader] or [0])
    return sum(1 for one in voters if one[0] != without and now - one[3] < ${BEHIND_MS})
def check_majority(leader, voters, without=None):
    if count_current(leader, voters, without) * 2 <= len(voters):
        raise Wait('%d of %d voters are up to date' % (count_current(leader, voters), len(voters)))
def find_serving(ats, timeout=3):
    for at in ats:
        try:
            one = connect(at, timeout)
            check_majority(*one.quorum()[:2])
            return one
        except (OSError, Odd, Refused, Wait):
            pass
    return None
def name_partition(one):
    return '%s-%d' % (show(one[0]), one[1])
def look(at, clients, node):
    one = connect(at, ${ANSWER_SECONDS})
    brokers, cluster, _ = one.metadata(False)
    print('cluster', cluster)
    leader, voters, _ = one.quorum()
    print('leader', leader)
    for voter in voters:
        print('voter', voter[0], voter[1])
    check_majority(leader, voters)
    print('majority')
    if int(node) in brokers:
        host, port = clients.rsplit(':', 1)
        socket.create_connection((host.strip('[]'), int(port)), ${ANSWER_SECONDS}).close()
        print('broker')
def identity(*ats):
    one = find_serving(ats)
    if one is None:
        sys.exit(4)
    print(one.metadata(False)[1])
def alone(*ats):
    for at in ats:
        try:
            one = connect(at, 3)
        except (ConnectionRefusedError, socket.gaierror):
            # Kafka does not run there, or the server has no machine.
            continue
        try:
            check_majority(*one.quorum()[:2])
        finally:
            one.close()
        sys.exit('a member of the cluster answers: it has been founded in the meantime, apply again')
def voters(place, *ats):
    one = find_serving(ats)
    if one is None:
        raise Wait('no member answers that a majority agrees with')
    print('listed' if place in [voter[1] for voter in one.quorum()[1]] else 'gone')
def vote(at, node, place, listener):
    node, (host, port) = int(node), listener.rsplit(':', 1)
    one = connect(at)
    leader, found, observers = one.quorum()
    if (node, place) in [voter[:2] for voter in found]:
        return
    own = [other for other in observers if other[:2] == (node, place)]
    if not own:
        raise Wait('it does not follow the leader yet')
    progress(own[0][2])
    now = max([voter[3] for voter in found if voter[0] == leader] or [0])
    if now - own[0][3] >= ${BEHIND_MS}:
        raise Wait('it gets the data')
    check_majority(leader, found)
    cluster = one.metadata(False)[1]
    for voter in found:
        if voter[0] == node:
            one.remove(cluster, node, voter[1])
    one.add(cluster, node, place, host.strip('[]'), int(port))
    raise Wait('it has no vote yet')
def unvote(node, place, *ats):
    # It may not run itself.
    one = find_serving(ats)
    if one is None:
        raise Wait('no member answers that a majority agrees with')
    leader, found, _ = one.quorum()
    if (int(node), place) in [voter[:2] for voter in found] and len(found) > 1:
        check_majority(leader, found, int(node))
        one.remove(one.metadata(False)[1], int(node), place)
        raise Wait('it has its vote still')
def spare(node, *ats):
    one = find_serving(ats)
    if one is None:
        try:
            connect(ats[0]).close()
        except ConnectionRefusedError:
            # It serves nobody.
            return
        except OSError:
            pass
        raise Wait('no member answers that a majority agrees with')
    node = int(node)
    leader, found, _ = one.quorum()
    if node in [voter[0] for voter in found] and len(found) > 1:
        check_majority(leader, found, node)
    brokers, _, parts = one.metadata()
    behind = [part for part in parts if node in part[5] and len(part[5]) < len(part[4])]
    if behind:
        progress(len(behind))
        copies(brokers, behind)
        raise Wait('replicas of %d partitions are behind, such as %s' % (len(behind), name_partition(behind[0])))
def ready(at, node, least, *others):
    node = int(node)
    try:
        one = connect(at)
        leader, found, _ = one.quorum()
        check_majority(leader, found)
    except (OSError, Odd, Refused, Wait) as why:
        # It waits for others that do not run: they come after it.
        if others and time.monotonic() - began > 20 and not any(is_open(other) for other in others):
            return
        raise why
    if node not in [voter[0] for voter in found]:
        raise Wait('it has no vote')
    brokers, _, parts = one.metadata()
    if node not in brokers:
        raise Wait('it takes no clients yet')
    behind = [part for part in parts if node in part[4] and node not in part[5]]
    if behind:
        progress((len(behind), count_bytes()))
        raise Wait('it does not have all of %d partitions yet, such as %s' % (len(behind), name_partition(behind[0])))
    one.set_default('min.insync.replicas', least)
def is_open(at):
    try:
        host, port = at.rsplit(':', 1)
        socket.create_connection((host.strip('[]'), int(port)), 3).close()
        return True
    except OSError:
        return False
def copied(at, node):
    node = int(node)
    one = connect(at)
    check_majority(*one.quorum()[:2])
    brokers, _, parts = one.metadata()
    for part in parts:
        if part[4] == [node]:
            sys.exit('the only copy of %s is on the machine that goes: move or copy %s first' % ((name_partition(part),) * 2))
    behind = [part for part in parts if part[5] == [node]]
    if behind:
        progress(len(behind))
        copies(brokers, behind)
        raise Wait('others do not have all of %d partitions, such as %s' % (len(behind), name_partition(behind[0])))
def remove(at, node):
    node = int(node)
    one = connect(at)
    leader, found, _ = one.quorum()
    check_majority(leader, found)
    brokers, cluster, parts = one.metadata()
    held = [part for part in parts if node in part[4]]
    if held:
        under_way = {(topic, index) for topic, index, going in one.moving() if node in going}
        load = {broker: sum(1 for part in parts if broker in part[4]) for broker in brokers if broker != node}
        wanted = []
        for part in held:
            if part[:2] in under_way:
                continue
            if part[5] == [node] and node not in brokers or not load:
                sys.exit('the only copy of %s is on the member that goes: bring it back, or delete the topic' % name_partition(part))
            kept = [broker for broker in part[4] if broker != node]
            free = sorted((broker for broker in load if broker not in kept), key=lambda broker: (load[broker], broker))
            if free:
                load[free[0]] += 1
            wanted.append((part[0], part[1], kept + free[:1]))
        if wanted:
            one.reassign(wanted)
        progress(len(held))
        if not wanted:
            copies(brokers, held, node)
        raise Wait('%d partitions move to other members, such as %s' % (len(held), name_partition(held[0])))
    going = [voter for voter in found if voter[0] == node]
    if len(going) == len(found):
        sys.exit('it is the only member with a vote')
    for voter in going:
        one.remove(cluster, node, voter[1])
    if going:
        raise Wait('it has its vote still')
    if node not in brokers:
        try:
            one.unregister(node)
        except Refused as why:
            # It was never registered, or is not any more.
            if why.code != 102:
                raise
state = None
def progress(now):
    global state, patient
    if now != state:
        state, patient = now, time.monotonic() + ${PATIENCE_SECONDS}
def copies(brokers, parts, leaving=None):
    # How much has arrived is not known here. One large partition may take all of the time, if those that get it run.
    global patient
    receivers = {one for part in parts for one in part[4] if one not in part[5] and one != leaving}
    if receivers and receivers <= set(brokers) and all(part[3] in brokers for part in parts):
        patient = last
    elif patient == last:
        patient = time.monotonic() + ${PATIENCE_SECONDS}
def count_bytes():
    total = 0
    for folder, _, files in os.walk('${DATA}'):
        for name in files:
            if name.endswith('.log'):
                try:
                    total += os.stat(os.path.join(folder, name)).st_size
                except FileNotFoundError:
                    # It was deleted in the meantime.
                    pass
    return total
def show_unit():
    shown = subprocess.run(['systemctl', 'show', '-p', 'ActiveState,NRestarts', 'kafka'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return dict(line.split('=', 1) for line in shown.decode().split('\\n') if '=' in line)
tls, verb = sys.argv[1] == 'tls', sys.argv[2]
began = time.monotonic()
patient, last = began + (${ALONE_SECONDS} if verb == 'alone' else ${PATIENCE_SECONDS}), began + ${DATA_SECONDS}
once = verb in ('look', 'identity')
restarts = None if once else show_unit().get('NRestarts')
while True:
    try:
        {'look': look, 'identity': identity, 'alone': alone, 'voters': voters, 'vote': vote, 'unvote': unvote, 'spare': spare, 'ready': ready, 'copied': copied, 'remove': remove}[verb](*sys.argv[3:])
        break
    except (OSError, Odd, Refused, Wait) as error:
        why = str(error)
        if verb in ('ready', 'vote') and isinstance(error, ConnectionRefusedError):
            # It reads its data before it listens. One that ends and starts again does not get there.
            now = show_unit()
            if now.get('ActiveState') == 'active' and now.get('NRestarts') == restarts:
                patient = time.monotonic() + ${PATIENCE_SECONDS}
    if once or time.monotonic() > min(patient, last):
        sys.exit(why)
    time.sleep(1)
`;

/**
 * Bash that defines `find_ends`, which sets where the member of this host listens, as its configuration has it: `AT` for
 * members, `CLIENTS`, and `HOW` members are asked.
 */
const FIND_ENDS = `find_ends() {
  local conf
  conf=$(cat ${CONF}) || return 1
  AT=$(sed -n 's/^listeners=.*PEERS:\\/\\/\\([^,]*\\).*/\\1/p' <<<"$conf" | sed 's/^0[.]0[.]0[.]0:/127.0.0.1:/')
  CLIENTS=$(sed -n 's/^listeners=.*CLIENTS:\\/\\/\\([^,]*\\).*/\\1/p' <<<"$conf" | sed 's/^0[.]0[.]0[.]0:/127.0.0.1:/')
  HOW=plain
  if grep -q '^listener.security.protocol.map=.*PEERS:SSL' <<<"$conf"; then HOW=tls; fi
}`;

/**
 * Bash that defines `find_ends`, and `administer tls|plain VERB …`, which asks members at `HOST:PORT` of the listener for members.
 *
 * - `look AT CLIENTS NODE` prints what a member knows, and whether it takes clients.
 * - `identity AT…` prints the cluster of the first member that serves. Status 4: none does.
 * - `alone AT…` fails if a member serves, or if that is not known within half a minute.
 * - `voters DIRECTORY AT…` prints `listed` if data has a vote, otherwise `gone`. It fails if no member serves.
 * - `vote AT NODE DIRECTORY CONTROLLER` gives a member its vote once it has the data, and takes it from a former machine.
 * - `unvote NODE DIRECTORY AT…` takes its vote, if the others are a majority. It fails if no member serves.
 * - `spare NODE OWN AT…` waits until the others can do without a member. It does nothing if no member serves, and this one
 *   does not listen.
 * - `ready AT NODE LEAST OTHERS…` waits until a member has all of its data, and sets how many copies a write needs.
 * - `copied AT NODE` waits until others have all that a member has. It fails if a partition is only there.
 * - `remove AT NODE` moves the data of a member to others, and takes its vote.
 */
export const ADMINISTER = `administer() { python3 -c ${quote(PROGRAM)} "$@"; }
${FIND_ENDS}`;
