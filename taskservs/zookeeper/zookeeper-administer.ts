import { quote } from '../../sdk/index.js';
import { ADMIN } from './zookeeper-places.js';

/** The identity of the cluster. */
const GROUP_NODE = '/zookeeper/provisioning-group';

/** The highest number that a member ever got. It never goes back. */
const NUMBER_NODE = '/zookeeper/provisioning-number';

/** ZooKeeper tells members apart by one byte of their sessions. */
const MOST = 255;

const PROGRAM = `
import re, sys, time, uuid
from kazoo.client import KazooClient
from kazoo.exceptions import BadVersionError, KazooException, NoNodeError, NodeExistsError
from kazoo.handlers.threading import KazooTimeoutError
verb, at = sys.argv[1:3]
def read(client):
    text = client.get('/zookeeper/config')[0].decode()
    version = int(re.search('^version=([0-9a-f]+)$', text, re.M).group(1), 16)
    return version, dict(line[len('server.'):].split('=', 1) for line in text.splitlines() if line.startswith('server.'))
def owner(entry):
    return entry.split(':')[0]
def reconfigure(client, version, joining, leaving):
    client.reconfig(joining=joining, leaving=','.join(leaving) or None, new_members=None, from_config=version)
def raise_number(client, least, further):
    while True:
        try:
            text, stat = client.get('${NUMBER_NODE}')
        except NoNodeError:
            try:
                client.create('${NUMBER_NODE}', b'0')
            except NodeExistsError:
                pass
            continue
        known = int(text)
        number = max([known] + least) + further
        if number > ${MOST}:
            sys.exit('all ${MOST} numbers of members were used in this cluster: begin again on one (taskservs/zookeeper/README.md)')
        if number == known:
            return number
        try:
            client.set('${NUMBER_NODE}', str(number).encode(), version=stat.version)
            return number
        except BadVersionError:
            pass
def take(client):
    print(raise_number(client, [int(one) for one in read(client)[1]], 1))
def identity(client):
    text = client.get('${GROUP_NODE}')[0].decode()
    if not re.fullmatch('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', text):
        sys.exit('the identity of the cluster in ${GROUP_NODE} has another form')
    return text
def compare(own, others):
    for other in others:
        client = KazooClient(hosts=other, timeout=5)
        try:
            client.start(timeout=3)
            if identity(client) != own:
                sys.exit('%s is of another cluster of this name: stop one of the two, and apply again' % other)
        except (KazooException, KazooTimeoutError, OSError):
            pass
        finally:
            client.stop()
            client.close()
def check_owner(found, address, number):
    if number in found and owner(found[number]) != address:
        sys.exit('the number %s is that of %s: apply again' % (number, owner(found[number])))
def vote(client, address, number, wanted, founds, *others):
    version, found = read(client)
    check_owner(found, address, number)
    if founds == 'founds':
        client.ensure_path('${GROUP_NODE}')
        client.set('${GROUP_NODE}', str(uuid.uuid4()).encode())
    elif list(found) == [number] and not client.exists('${GROUP_NODE}'):
        client.create('${GROUP_NODE}', str(uuid.uuid4()).encode())
    else:
        compare(identity(client), others)
    raise_number(client, [int(one) for one in list(found) + [number]], 0)
    former = [one for one, entry in found.items() if one != number and owner(entry) == address]
    if found.get(number) != wanted or former:
        reconfigure(client, version, 'server.%s=%s' % (number, wanted), former)
    print(identity(client))
def announce(client, address, number, wanted):
    version, found = read(client)
    check_owner(found, address, number)
    if number not in found:
        sys.exit('%s is not among the members' % address)
    if found[number] != wanted:
        reconfigure(client, version, 'server.%s=%s' % (number, wanted), [])
def remove(client, address, number=None):
    version, found = read(client)
    leaving = [one for one, entry in found.items() if owner(entry) == address and number in (None, one)]
    if leaving and len(leaving) < len(found):
        raise_number(client, [int(one) for one in found], 0)
        reconfigure(client, version, None, leaving)
end = time.monotonic() + 180
while True:
    client = None
    try:
        auth = None if verb == 'take' else [('digest', 'super:' + open('${ADMIN}/password').read().strip())]
        client = KazooClient(hosts=at, timeout=10, auth_data=auth)
        client.start(timeout=10)
        {'take': take, 'vote': vote, 'announce': announce, 'remove': remove}[verb](client, *sys.argv[3:])
        break
    except (KazooException, KazooTimeoutError, OSError) as error:
        why = error
    finally:
        if client is not None:
            client.stop()
            client.close()
    if time.monotonic() > end:
        sys.exit('%s: %s' % (type(why).__name__, why))
    time.sleep(1)
`;

/**
 * Bash that defines what administers a cluster by one of its members. The password is in no argument.
 *
 * - `take AT` prints a number that no member ever had. It needs no password.
 * - `vote AT ADDRESS NUMBER ENTRY founds|joins OTHERS…` gives a member its vote, and takes it from former ones of its address.
 *   It prints the identity of the cluster. One that founds it makes a new one, even if its data has one: other members of its
 *   former cluster may come back. It fails if another member that serves is of another cluster, or has this number.
 * - `announce AT ADDRESS NUMBER ENTRY` gives a member with a vote another entry.
 * - `remove AT ADDRESS [NUMBER]` takes out the members of an address, or only the one of this number.
 */
export const ADMINISTER = `administer() { python3 -c ${quote(PROGRAM)} "$@"; }`;
