import { quote } from '../../sdk/index.js';
import { CLUSTER, EPMD_PORT, FOUNDATION, IDENTITY, NODE, NODE_NAME } from './rabbitmq-places.js';

/** Seconds in which another member has to answer. */
const ANSWER_SECONDS = 60;

/** Seconds in which it is to be known whether others have the cluster. */
const ALONE_SECONDS = 30;

/** Seconds in which a member has to be up, and others without it. A broken connection is found within 30 s. */
const READY_SECONDS = 600;

const ASK = `
import json, os, re, socket, subprocess, sys, time
class NoAnswer(Exception):
    pass
def ctl(node, *words, tool='rabbitmqctl', seconds=60):
    try:
        done = subprocess.run(['/usr/lib/rabbitmq/bin/' + tool, '-q', '-n', node, *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise NoAnswer('%s %s: no answer within %d s' % (tool, words[0], seconds))
    if done.returncode:
        # What follows is about the tool itself, and has a hash of the cookie.
        told = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip() not in ('', 'Error:')]
        raise NoAnswer('%s %s: %s' % (tool, words[0], told[0][:300] if told else 'it failed'))
    return done.stdout
def read(node, *words):
    try:
        return json.loads(ctl(node, *words, '--formatter', 'json'))
    except ValueError:
        raise NoAnswer('%s: its answer is no JSON' % words[0])
class Status:
    def __init__(self, node):
        told = read(node, 'cluster_status')
        self.nodes, self.running = set(told['disk_nodes'] + told['ram_nodes']), set(told['running_nodes'])
        for one in self.nodes | self.running:
            if not re.fullmatch('${NODE_NAME}', one):
                sys.exit('a node of the cluster has a name of another form: it was not made by provisioning')
        self.cluster = told['cluster_name']
        up = self.running & self.nodes
        self.serves = node in up and len(up) * 2 > len(self.nodes)
    def spares(self, node):
        return len((self.running & self.nodes) - {node}) * 2 > len(self.nodes) - 1
def host(node):
    return node.split('@')[1]
def ask_names(server):
    try:
        with socket.create_connection((server, ${EPMD_PORT}), 3) as epmd:
            epmd.settimeout(3)
            epmd.sendall(b'\\0\\1n')
            told = b''
            while len(told) < 4096:
                more = epmd.recv(4096)
                if not more:
                    break
                told += more
    except (ConnectionRefusedError, socket.gaierror):
        # No epmd runs there, or the server has no machine.
        return []
    except OSError as error:
        raise NoAnswer('%s does not tell which nodes it has: %s' % (server, error))
    found = re.findall('^name (rabbit-[0-9a-f]{8}) at port [0-9]+$', told[4:].decode('latin-1'), re.M)
    return [one + '@' + server for one in found]
def named(server):
    try:
        return ask_names(server)
    except NoAnswer:
        return []
def serving(cluster, servers):
    for node in [node for server in servers for node in named(server)]:
        try:
            status = Status(node)
        except NoAnswer:
            continue
        # One that has not joined yet serves for itself, without the name of the cluster.
        if status.serves and status.cluster == cluster:
            return node, status
    raise NoAnswer('no other member answers that serves')
def repeat(seconds, what, *words):
    end = time.monotonic() + seconds
    while True:
        try:
            return what(*words)
        except NoAnswer as error:
            if time.monotonic() > end:
                sys.exit(str(error))
        time.sleep(2)
def count(node, condition):
    told = ctl(node, 'eval', 'length([1 || Q <- rabbit_amqqueue:list_by_type(quorum), N <- [maps:get(nodes, amqqueue:get_type_state(Q), [])], %s]).' % condition)
    if not re.fullmatch('[0-9]+', told.strip()):
        raise NoAnswer('it is not known how many queues there are')
    return int(told)
`;

const ACT = `
def remove_once(via, gone):
    status = Status(via)
    if not status.serves:
        raise NoAnswer('%s does not serve' % host(via))
    has = "lists:member('%s', N)" % gone
    if gone not in status.nodes and count(via, has) == 0:
        return
    if gone in status.nodes and not status.spares(gone):
        raise NoAnswer('without %s no majority of the others serves' % host(gone))
    ctl(via, 'shrink', gone, tool='rabbitmq-queues', seconds=300)
    left = count(via, has)
    if left:
        raise NoAnswer('%d quorum queues keep their replica on %s: it is their last one, or they have no majority' % (left, host(gone)))
    if gone in status.running:
        ctl(gone, 'stop_app')
        # A queue may have been made on it in the meantime.
        raise NoAnswer('%s was stopped' % host(gone))
    ctl(via, 'forget_cluster_node', gone, seconds=120)
    raise NoAnswer('%s is still in the list of members' % host(gone))
def remove(via, server, node=None):
    status = repeat(${ANSWER_SECONDS}, Status, via)
    for one in [node] if node else sorted(one for one in status.nodes if host(one) == server and one != via):
        repeat(${ANSWER_SECONDS} * 3, remove_once, via, one)
def refuse_second(cluster, servers):
    # One that is there and does not answer may have the cluster.
    for node in [node for server in servers for node in ask_names(server)]:
        status = Status(node)
        if status.serves and status.cluster == cluster:
            sys.exit('%s serves the cluster: it has been founded in the meantime, apply again' % host(node))
def withdraw(own, cluster, *servers):
    via, status = serving(cluster, servers)
    if own in status.nodes:
        repeat(${ANSWER_SECONDS} * 3, remove_once, via, own)
def join_once(own, cluster, servers):
    via, status = serving(cluster, servers)
    if own in status.running:
        return
    if own not in status.nodes:
        for former in [one for one in status.nodes if host(one) == host(own)]:
            if former in status.running:
                sys.exit('another machine with the name %s serves in the cluster: stop rabbitmq-server on it' % host(own))
            repeat(${ANSWER_SECONDS} * 3, remove_once, via, former)
        # It has nothing: whatever it made by itself since its start goes.
        ctl(own, 'stop_app')
        ctl(own, 'join_cluster', via, seconds=120)
    ctl(own, 'start_app', seconds=300)
def join(own, cluster, *servers):
    repeat(${ANSWER_SECONDS}, ctl, own, 'ping')
    try:
        repeat(${READY_SECONDS}, join_once, own, cluster, servers)
    except SystemExit:
        # One that cannot go on leaves no entry, so that the next one begins again.
        withdraw(own, cluster, *servers)
        raise
def replicate(own):
    status = Status(own)
    small = len(status.nodes) <= 3
    ctl(own, 'grow', own, 'all' if small else 'even', tool='rabbitmq-queues', seconds=600)
    left = count(own, "not lists:member('%s', N)%s" % (own, '' if small else ', length(N) rem 2 == 0'))
    if left:
        raise NoAnswer('%d quorum queues have no replica on it yet: they have no majority' % left)
def up(own, cluster, founds):
    status = Status(own)
    if not status.serves:
        raise NoAnswer('no majority of the members agrees with it')
    if founds and len(status.nodes) == 1 and status.cluster != cluster:
        ctl(own, 'set_cluster_name', cluster)
    elif status.cluster != cluster:
        sys.exit('it belongs to the cluster %s' % json.dumps(status.cluster))
def identity(own):
    found = [one['value'] for one in read(own, 'list_global_parameters') if one['name'] == 'internal_cluster_id']
    told = json.loads(found[0]) if len(found) == 1 and isinstance(found[0], str) and found[0].startswith('"') else ''.join(found)
    if not re.fullmatch('${IDENTITY}', told):
        sys.exit('the identity of the cluster has another form')
    return told
def write(path, text):
    with open(path + '.new', 'w') as new:
        new.write(text + '\\n')
    os.replace(path + '.new', path)
def belong(own, cluster):
    founds = os.path.exists('${FOUNDATION}')
    repeat(${READY_SECONDS}, up, own, cluster, founds)
    told = repeat(${ANSWER_SECONDS}, identity, own)
    if os.path.exists('${CLUSTER}'):
        if open('${CLUSTER}').read().strip() != told:
            sys.exit('its data is that of another cluster')
    else:
        repeat(${ANSWER_SECONDS} * 3, replicate, own)
        write('${CLUSTER}', told)
    if founds:
        os.remove('${FOUNDATION}')
def spare_once(own):
    status = Status(own)
    if len(status.nodes) == 1:
        return
    if not len((status.running & status.nodes) - {own}) * 2 > len(status.nodes):
        raise NoAnswer('without it no majority of the members serves')
    ctl(own, 'await_online_quorum_plus_one', '-t', '60', tool='rabbitmq-upgrade', seconds=90)
def spare(own):
    repeat(${READY_SECONDS}, spare_once, own)
verb, words = sys.argv[1], sys.argv[2:]
try:
    own = open('${NODE}').read().strip() if os.path.exists('${NODE}') else ''
    if verb == 'alone':
        repeat(${ALONE_SECONDS}, refuse_second, words[0], words[1:])
    elif not re.fullmatch('${NODE_NAME}', own):
        sys.exit('this host has no member of a cluster')
    else:
        {'join': join, 'belong': belong, 'spare': spare, 'remove': remove, 'withdraw': withdraw}[verb](own, *words)
except NoAnswer as error:
    sys.exit(str(error))
except (AttributeError, KeyError, TypeError, ValueError):
    sys.exit('the answer of a member has another form')
`;

/**
 * Bash that defines what administers a cluster, as the user of rabbitmq, by its own tools. The cookie is in no argument.
 * What does not answer is never taken for gone: each verb looks again until a member answers, or fails.
 *
 * - `alone CLUSTER SERVERS…` fails if a member of the cluster serves on one of the servers, or if that is not known.
 * - `join CLUSTER SERVERS…` lets the running node of this host join by one that serves. It takes former nodes of this host
 *   out first: they have replicas that this one does not have.
 * - `belong CLUSTER` waits until the node serves, gets it replicas of quorum queues, and notes the identity of the cluster.
 * - `spare` waits until the others can do without this node.
 * - `remove SERVER [NODE]` takes the nodes of a server out, or only the one of this name, on a member that serves.
 * - `withdraw CLUSTER SERVERS…` takes the node of this host out, by another one.
 */
export const ADMINISTER = `administer() { (cd / && runuser -u rabbitmq -- env HOME=/var/lib/rabbitmq python3 -c ${quote(ASK + ACT)} "$@"); }`;
