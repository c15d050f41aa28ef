import { quote } from '../../sdk/index.js';
import { CONF, TLS, TOKEN } from './vault-places.js';

/** Seconds for one answer. The platform waits 8 s for all answers of a host, and takes it for silent then. */
const ANSWER_SECONDS = 2;

/** Seconds in which a member answers that runs, and in which the others choose a leader. */
const PATIENCE_SECONDS = 120;

/** Seconds for data to arrive. Less than the hour that the platform waits for a step. */
const DATA_SECONDS = 50 * 60;

const PROGRAM = `import http.client, json, os, socket, ssl, sys, time
class Wait(Exception):
    pass
class Sealed(Wait):
    pass
class Refused(Exception):
    def __init__(self, status, why):
        super().__init__('vault answers %d: %s' % (status, why))
        self.status = status
def find_token():
    if 'VAULT_TOKEN' in os.environ:
        return os.environ['VAULT_TOKEN'].strip()
    try:
        with open(os.open('${TOKEN}', os.O_RDONLY | os.O_NOFOLLOW)) as kept:
            return kept.read().strip()
    except FileNotFoundError:
        return ''
def ask(at, path, method='GET', body=None, timeout=10, by_token=True):
    (place, name), (host, port) = at, at[0].rsplit(':', 1)
    host = host.strip('[]')
    context = ssl.create_default_context(cafile='${TLS.authority}')
    one = http.client.HTTPSConnection(host, int(port), timeout=timeout)
    try:
        one.sock = context.wrap_socket(socket.create_connection((host, int(port)), timeout), server_hostname=name)
        head = {'X-Vault-Token': find_token()} if by_token else {}
        one.request(method, '/v1/sys/' + path, None if body is None else json.dumps(body), head)
        answer = one.getresponse()
        content = answer.read(1 << 20)
    except http.client.HTTPException as why:
        raise OSError('no answer that can be read: %s' % type(why).__name__)
    finally:
        one.close()
    try:
        said = json.loads(content) if content else {}
    except ValueError:
        said = {}
    if answer.status >= 300:
        raise Refused(answer.status, '; '.join(str(one) for one in said.get('errors') or ['nothing'])[:200])
    return said
def open_ask(at, path, timeout=10):
    return ask(at, path, timeout=timeout, by_token=False)
def seal_status(at, timeout=10):
    return open_ask(at, 'seal-status', timeout)
def check_unsealed(at):
    now = seal_status(at)
    if not now.get('initialized'):
        raise Wait('it is not initialized')
    if now.get('sealed'):
        raise Sealed('it is sealed: unseal it with "vault operator unseal" on %s, then apply again' % at[1])
    return now
def leader(at, timeout=10):
    return open_ask(at, 'leader', timeout)
def peers(at, timeout=10):
    return ask(at, 'storage/raft/configuration', timeout=timeout)['data']['config']['servers']
def server_of(peer):
    return peer['node_id'].rpartition('-')[0]
def other_places(others):
    for place in others:
        yield place, place.rsplit(':', 1)[0].strip('[]')
def find_serving(others):
    why = 'no other member serves'
    for at in other_places(others):
        try:
            if not seal_status(at, 3).get('sealed') and leader(at, 3).get('leader_address'):
                return at
        except (OSError, Refused) as error:
            why = '%s: %s' % (at[1], error)
    raise Wait(why)
def look(place, name):
    at = (place, name)
    now = seal_status(at, ${ANSWER_SECONDS})
    print('status', json.dumps(now))
    if now.get('sealed'):
        return
    print('leader', json.dumps(leader(at, ${ANSWER_SECONDS})))
    if find_token():
        print('peers', json.dumps(peers(at, ${ANSWER_SECONDS})))
        print('autopilot', json.dumps(ask(at, 'storage/raft/autopilot/configuration', timeout=${ANSWER_SECONDS})['data']))
def health(place, name):
    at = (place, name)
    now = seal_status(at, 5)
    if not now.get('initialized'):
        print('ready to be initialized once, on one member: vault operator init')
        return
    if now.get('sealed'):
        raise Sealed('sealed: unseal it with "vault operator unseal" on %s' % name)
    if not leader(at, 5).get('leader_address'):
        raise Wait('no majority agrees with it')
    print('ready')
def spare(place, name, own):
    at = (place, name)
    try:
        if seal_status(at).get('sealed'):
            return
    except OSError:
        # It serves no clients.
        return
    state = ask(at, 'storage/raft/autopilot/state')['data']
    voters = state.get('voters') or []
    if own in voters and len(voters) > 1 and state.get('failure_tolerance', 0) < 1:
        sick = [one for one, its in (state.get('servers') or {}).items() if one != own and not its.get('healthy')]
        raise Wait('the cluster has no member to spare%s' % (': %s does not follow the leader closely' % ', '.join(sick) if sick else ''))
asked = False
def handover(place, name):
    global asked
    at = (place, name)
    try:
        if seal_status(at).get('sealed'):
            return
    except OSError:
        return
    now = leader(at)
    if now.get('is_self'):
        if len([one for one in peers(at) if one['voter']]) < 2:
            return
        ask(at, 'step-down', 'PUT')
        asked = True
        raise Wait('it leads still')
    if asked and not now.get('leader_address'):
        raise Wait('no other member leads yet')
def admit(name, own, *others):
    at = find_serving(others)
    former = [one for one in peers(at) if server_of(one) == name and one['node_id'] != own]
    for one in former:
        ask(at, 'storage/raft/remove-peer', 'POST', {'server_id': one['node_id']})
    if former:
        raise Wait('%s is in the list of members still' % former[0]['node_id'])
def listed(own, *others):
    at = find_serving(others)
    print('listed' if own in [one['node_id'] for one in peers(at)] else 'gone')
def remove(place, name, leaving):
    at = (place, name)
    check_unsealed(at)
    known = peers(at)
    gone = [one for one in known if server_of(one) == leaving]
    if gone and len([one for one in known if one['voter']]) < 2 and gone[0]['voter']:
        sys.exit('it is the only member')
    for one in gone:
        ask(at, 'storage/raft/remove-peer', 'POST', {'server_id': one['node_id']})
    if gone:
        raise Wait('%s is in the list of members still' % gone[0]['node_id'])
def tidy(place, name, least):
    wanted = {'cleanup_dead_servers': True, 'dead_server_last_contact_threshold': '24h', 'min_quorum': int(least)}
    ask((place, name), 'storage/raft/autopilot/configuration', 'POST', wanted)
wanted_index = None
def ready(place, name, own, seconds):
    global wanted_index, patient, last
    at = (place, name)
    now = check_unsealed(at)
    lead = leader(at)
    if not lead.get('leader_address'):
        raise Wait('it is unsealed, and no majority agrees with it')
    if find_token():
        mine = [one for one in peers(at) if one['node_id'] == own]
        if not mine:
            raise Wait('it is not in the list of members')
        if not mine[0]['voter']:
            progress(lead.get('raft_applied_index'))
            raise Wait('it has no vote yet')
    if lead.get('is_self'):
        return
    if wanted_index is None:
        place = lead['leader_address'].split('://')[-1].rstrip('/')
        wanted_index = leader((place, place.rsplit(':', 1)[0].strip('[]'))).get('raft_committed_index', 0)
    applied = lead.get('raft_applied_index', 0)
    if applied < wanted_index:
        progress(applied)
        raise Wait('it has %d of %d changes' % (applied, wanted_index))
state = None
def progress(now):
    global state, patient
    if now != state:
        state, patient = now, time.monotonic() + ${PATIENCE_SECONDS}
verb, rest = sys.argv[1], sys.argv[2:]
began = time.monotonic()
once = verb in ('look', 'health')
patient, last = began + ${PATIENCE_SECONDS}, began + ${DATA_SECONDS}
unseal_until = began + (float(rest[3]) if verb == 'ready' else 0)
while True:
    try:
        {'look': look, 'health': health, 'spare': spare, 'handover': handover, 'admit': admit, 'listed': listed, 'remove': remove, 'tidy': tidy, 'ready': ready}[verb](*rest)
        break
    except Sealed as error:
        why, until = str(error), unseal_until
        # Once it is unsealed, it has time to agree with the others.
        patient = max(patient, time.monotonic() + ${PATIENCE_SECONDS})
    except Refused as error:
        # A token that may not do this never may. All else passes, such as a moment without a leader.
        if error.status in (403, 400) and not once:
            sys.exit('%s: %s' % (error, 'see "token" of taskservs/vault/README.md'))
        why, until = str(error), patient
    except (OSError, Wait) as error:
        why, until = str(error), patient
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        why, until = 'an answer has another form: %s' % type(error).__name__, patient
    if once or time.monotonic() > min(until, last):
        sys.exit(why)
    time.sleep(1)
`;

/**
 * Bash that defines `find_ends`, which sets `AT`, where the member of this host listens for clients, and `NAME`, the server by
 * which others know it, as its configuration has them.
 */
const FIND_ENDS = `find_ends() {
  local conf
  conf=$(cat ${CONF}) || return 1
  AT=$(sed -n 's/^  address = "\\(.*\\)"$/\\1/p' <<<"$conf") || exit 1
  AT=\${AT/#0.0.0.0:/127.0.0.1:}
  NAME=$(sed -n 's/^api_addr = "https:\\/\\/\\([A-Za-z0-9.-]*\\):[0-9]*"$/\\1/p' <<<"$conf") || exit 1
  [ -n "$AT" ] && [ -n "$NAME" ]
}`;

/**
 * Bash that defines `find_ends`, and `administer VERB …`, which asks members. The token comes from the variable `VAULT_TOKEN`,
 * or else from the file that has it.
 *
 * - `look AT NAME` prints what a member says of itself, and with a token the list of members.
 * - `health AT NAME` fails if a member is sealed, or if no majority agrees with it.
 * - `spare AT NAME ID` waits until the others can do without a member. It does nothing if that does not serve.
 * - `handover AT NAME` gives the lead to another member, if this one leads.
 * - `admit NAME ID OTHERS…` takes former machines of a server out of the list, by another member.
 * - `listed ID OTHERS…` prints `listed` if a member is in the list, otherwise `gone`. It fails if no member serves.
 * - `remove AT NAME SERVER` takes the member of another server out of the list.
 * - `tidy AT NAME LEAST` lets the members take lost ones out of the list, as long as this many stay.
 * - `ready AT NAME ID SECONDS` waits until a member has been unsealed, has its vote and the data. `SECONDS` is the time for
 *   the person who unseals it.
 */
export const ADMINISTER = `administer() { python3 -c ${quote(PROGRAM)} "$@"; }
${FIND_ENDS}`;
