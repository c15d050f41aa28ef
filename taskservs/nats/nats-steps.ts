import { NOTE_CHANGE, quote, type Step, type Text, undoIfNoted } from '../../sdk/index.js';
import { DATA, definesGet, peerId } from './nats-ask.js';
import { ADMIN, type NatsConfig } from './nats-conf.js';

/** A member, and those that it asks. */
export interface Place {
  config: NatsConfig;
  /** The name of the cluster. */
  cluster: string;
  /** Name of the member's server. */
  server: string;
  /** Addresses of all other members. */
  others: readonly string[];
}

/** Sends a request as the administrator, and prints the answer: `HOST PORT SUBJECT CONTENT`. */
const PYTHON = `
import json, os, socket, ssl, sys
host, port, subject, content = sys.argv[1:]
content = content.encode()
with socket.create_connection((host.strip('[]'), int(port)), 5) as plain:
    greeting = b''
    while not greeting.endswith(b'\\n'):
        greeting += plain.recv(1)
    nats = plain
    if json.loads(greeting[5:]).get('tls_required'):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        nats = context.wrap_socket(plain)
    nats.settimeout(10)
    login = {'verbose': False, 'user': '${ADMIN}', 'pass': os.environ['NATS_ADMIN'], 'headers': True, 'no_responders': True}
    nats.sendall(b'CONNECT %s\\r\\nSUB _INBOX.1 1\\r\\nPUB %s _INBOX.1 %d\\r\\n%s\\r\\n' % (json.dumps(login).encode(), subject.encode(), len(content), content))
    answers = nats.makefile('rb')
    for line in answers:
        if line.startswith(b'PING'):
            nats.sendall(b'PONG\\r\\n')
        elif line.startswith(b'-ERR'):
            sys.exit(line.decode().strip())
        elif line.startswith((b'MSG', b'HMSG')):
            print(answers.read(int(line.split()[-1])).decode())
            break
`;

/** Bash that defines `administer SUBJECT CONTENT`, which asks the member of this host where it listens. */
const administer = (port: number): string => `AT=$(sed -n 's/^listen: "\\(.*\\):[0-9]*"$/\\1/p' /etc/nats-server.conf)
[ "$AT" != 0.0.0.0 ] || AT=127.0.0.1
administer() { timeout 20 python3 -c ${quote(PYTHON)} "$AT" ${port} "$@"; }`;

const admin = ({ adminPassword }: NatsConfig): Record<string, Text> =>
  adminPassword === undefined ? {} : { NATS_ADMIN: [adminPassword] };

/** Hands over the lead before a restart. It looks who leads. The server itself hands over its streams when it ends. */
export const handOverStep = ({ config, cluster, server }: Place): Step => ({
  title: `Hand over the lead of the nats cluster ${cluster}`,
  run: `${definesGet(config.monitoringPort)}
${administer(config.port)}
leads() {
  local told
  told=$(get /jsz) || return 1
  [[ \${told// /} == *${quote(`"leader":${JSON.stringify(server)}`)}* ]]
}
leads || exit 0
administer '$JS.API.META.LEADER.STEPDOWN' '' || true
for _ in $(seq 50); do
  leads || exit 0
  sleep 0.2
done`,
  env: admin(config),
  undo: ':',
  keepsServing: true,
});

/** Lets the others choose another leader, on request. NATS takes no wish for a certain one. It looks who leads. */
export const switchOverStep = ({ config, cluster, server }: Place): Step => ({
  title: `Let another member lead the nats cluster ${cluster} instead of ${server}`,
  run: `${definesGet(config.monitoringPort)}
${administer(config.port)}
fail() { echo "$1"; exit 1; }
# Prints the leader. Empty while there is no one.
leader() {
  local told
  told=$(get /jsz) || return 1
  told=\${told// /}
  [[ $told == *'"leader":"'* ]] || return 0
  told=\${told#*'"leader":"'}
  printf '%s\n' "\${told%%'"'*}"
}
first=$(leader) || fail 'nats does not answer: nothing was changed'
[ -n "$first" ] || fail 'the cluster has no leader: nothing was changed'
[ "$first" = ${quote(server)} ] || exit 0
administer '$JS.API.META.LEADER.STEPDOWN' '' || true
for _ in $(seq 150); do
  if now=$(leader) && [ -n "$now" ] && [ "$now" != ${quote(server)} ]; then exit 0; fi
  sleep 0.2
done
fail ${quote(`${server} still leads, or there is no other leader yet`)}`,
  env: admin(config),
  undo: ':',
  keepsServing: true,
});

/** Seconds until a member has its streams. Less than the hour that the platform waits for a step. */
const SYNC_SECONDS = 45 * 60;

/** Seconds in which another member has to answer. */
const ANSWER_SECONDS = 60;

/**
 * Waits until a majority agrees with a member and its streams are up to date: only then the next one may be worked on.
 *
 * @param founds it is the first of a new cluster: it has no majority before the second one is there, and waits for none
 */
export const waitStep = ({ config, cluster, server, others }: Place, founds: boolean): Step => ({
  title: `Wait until ${server} serves in the nats cluster ${cluster}`,
  run: `${definesGet(config.monitoringPort)}
others() {
  local each
  for each in ${others.map(quote).join(' ')}; do
    if timeout 3 bash -c '>"/dev/tcp/$1/${config.clusterPort}"' bash "$each" 2>/dev/null; then return 0; fi
  done
  return 1
}
said= end=$((SECONDS + ${SYNC_SECONDS})) last=$((SECONDS + ${ANSWER_SECONDS}))
while [ $SECONDS -lt $end ] && [ $SECONDS -lt $last ]; do
  said=$(get /healthz) || said='it does not answer'
  if [[ $said == *'"ok"'* ]]; then exit 0; fi
  if others; then
    last=$((SECONDS + ${ANSWER_SECONDS}))
    if ! systemctl is-active -q nats-server && ! systemctl show -p SubState nats-server | grep -q auto-restart; then break; fi
  else${founds ? '\n    exit 0' : "\n    said='no other member answers'"}
  fi
  sleep 1
done
printf '%s\\n' "$said" | tail -n 5
exit 1`,
  undo: ':',
  keepsServing: true,
});

/** Keeps the data of a member that was removed from its cluster beside the new one. NATS does not let it in with that. */
export const keepDataStep = (cluster: string): Step => ({
  title: `Keep the former data of nats, which was removed from the cluster ${cluster}, as /var/lib/nats/former`,
  run: `ran=no
if systemctl is-active -q nats-server; then ran=yes; systemctl stop nats-server; fi
there=$(cd / && runuser -u nats -- bash -c 'if [ -e ${DATA} ]; then echo there; fi')
if [ -n "$there" ]; then
  ${NOTE_CHANGE}
  (cd / && runuser -u nats -- mv -T --backup=numbered ${DATA} /var/lib/nats/former)
fi
[ $ran = no ] || systemctl start nats-server`,
  undo: undoIfNoted(
    `(cd / && runuser -u nats -- bash -c 'if [ ! -e ${DATA} ] && [ -e /var/lib/nats/former ]; then mv -T /var/lib/nats/former ${DATA}; fi')`,
  ),
});

/**
 * How often the leader has to say that a member is gone, with two seconds between. It says so before a majority has agreed;
 * one without a majority ends to lead after ten seconds.
 */
const GONE_ANSWERS = 7;

/**
 * Takes a member out, on another one. It may have gone for good. Others know its name only if it was there since their own
 * start, and its id always.
 */
export const leaveStep = ({ config, cluster }: Omit<Place, 'server' | 'others'>, leaving: string): Step => ({
  title: `Remove ${leaving} from the nats cluster ${cluster}`,
  run: `${administer(config.port)}
said= gone=0
for _ in $(seq 40); do
  said=$(administer '$JS.API.SERVER.REMOVE' ${quote(JSON.stringify({ peer: leaving, peer_id: peerId(leaving) }))} 2>&1) || true
  # It is not in the list of the leader.
  if [[ \${said// /} == *'"err_code":10044'* ]]; then gone=$((gone + 1)); else gone=0; fi
  [ $gone -lt ${GONE_ANSWERS} ] || exit 0
  sleep 2
done
printf '%s\\n' "$said" | tail -n 5
exit 1`,
  env: admin(config),
  irreversible: true,
});
