import { type GroupContext, quote, type Step } from '../../sdk/index.js';
import { ASKS, type FoundMember } from './zookeeper-ask.js';
import type { ZookeeperConfig } from './zookeeper-config.js';
import { ADMIN, CLUSTER, GROUP } from './zookeeper-places.js';
import { DATA } from './zookeeper-unit.js';

/** A member of a group, with its answers. */
export type ZookeeperMember = GroupContext<{ member: FoundMember }>['members'][number];

/** A member, and those that it asks. */
export interface Place {
  config: ZookeeperConfig;
  /** The name of the cluster. */
  cluster: string;
  /** Name of the member's server, which is its address. */
  server: string;
  /** Address on which it listens for clients. */
  clients: string;
  /** All other members. Who serves is found out by the step: its text is the same for each look. */
  others: readonly ZookeeperMember[];
}

/** The address of a member, as the list has it. */
export const writePeers = (
  server: string,
  { peerPort, electionPort }: Pick<ZookeeperConfig, 'peerPort' | 'electionPort'>,
): string => `${server}:${peerPort}:${electionPort}`;

/** Bash with the names of a place, and with `list`, which prints the members that another one knows that serves. */
const around = ({ config, server, clients, others }: Place): string => `ME=${quote(writePeers(server, config))}
CLIENTS=${quote(`${clients}:${config.port}`)}
OTHERS=${quote(others.map(({ address }) => address).join(' '))}
PORT=${config.port}
${ASKS}
look
list() {
  local each
  for each in $OTHERS; do
    if say "$each" "$PORT" srvr | grep -Eq '^Mode: (leader|follower)'; then say "$each" "$PORT" conf | grep '^server[.]' && return; fi
  done
  return 1
}
# Which members it knows at its next start, and by what number it goes.
begin() {
  (cd / && runuser -u zookeeper -- bash -c 'set -euo pipefail
umask 027
mkdir -p "$1" "$2"
if [ "$5" = aside ] && [ -e "$2/version-2" ]; then mv -T --backup=numbered "$2/version-2" "$2/former"; fi
printf "%s\\n" "$4" >"$1/initial"
printf "dynamicConfigFile=%s\\n" "$1/initial" >"$1/zoo.cfg"
printf "%s\\n" "$3" >"$2/myid"' bash ${CLUSTER} ${DATA} "$1" "$2" "$3")
}`;

/**
 * The administrator of the member of this host: `vote ENTRY ID` gives it its vote and prints the identity of the cluster,
 * `remove NAME ID` takes out a member by its address or its number. The password is in no argument.
 */
const ADMINISTER = `administer() { python3 -c ${quote(`
import sys, time, uuid
from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NodeExistsError
from kazoo.handlers.threading import KazooTimeoutError
verb, at, address, number = sys.argv[1:5]
def entries(client):
    text = client.get('/zookeeper/config')[0].decode()
    return dict(line[len('server.'):].split('=', 1) for line in text.splitlines() if line.startswith('server.'))
def vote(client):
    wanted, found = sys.argv[5], entries(client)
    former = [one for one, entry in found.items() if one != number and entry.split(':')[0] == address]
    if found.get(number) != wanted or former:
        client.reconfig(joining='server.%s=%s' % (number, wanted), leaving=','.join(former) or None, new_members=None)
    try:
        client.create('/zookeeper/provisioning-group', str(uuid.uuid4()).encode())
    except NodeExistsError:
        pass
    print(client.get('/zookeeper/provisioning-group')[0].decode())
def remove(client):
    found = entries(client)
    leaving = [one for one, entry in found.items() if one == number or entry.split(':')[0] == address]
    if leaving and len(leaving) < len(found):
        client.reconfig(joining=None, leaving=','.join(leaving), new_members=None)
end = time.monotonic() + 180
while True:
    client = None
    try:
        client = KazooClient(hosts=at, timeout=10, auth_data=[('digest', 'super:' + open('${ADMIN}/password').read().strip())])
        client.start(timeout=10)
        {'vote': vote, 'remove': remove}[verb](client)
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
`)} "$@"; }`;

/**
 * The first member begins the cluster alone. It looks once more whether another one answers: two clusters of one name
 * would both take writes. Data of a single server becomes that of the cluster.
 */
export const createFounding = (place: Place): Step => ({
  title: `Found the zookeeper cluster ${place.cluster}`,
  run: `${around(place)}
[ -z "$ID" ] || exit 0
if [ -n "$OTHERS" ] && list >/dev/null; then
  echo "a member of the cluster answers: it has been founded in the meantime, apply again"
  exit 1
fi
begin 1 "server.1=$ME:participant;$CLIENTS" keep`,
  undo: `rm -rf -- ${CLUSTER} ${DATA}/myid`,
});

/**
 * Lets a member begin as one that only follows: it gets the data, and decides once it has it (`voteStep`). A join that is
 * cut off leaves the quorum as it was. It gets a number that none had: the former machine's may still have a vote.
 */
export const joinStep = (place: Place): Step => ({
  title: `Add ${place.server} to the zookeeper cluster ${place.cluster}`,
  run: `${around(place)}
[ -z "$GROUP" ] || exit 0
ran=no
if systemctl is-active -q zookeeper; then
  ! own srvr | grep -q '^Mode: ' || exit 0
  ran=yes
  systemctl stop zookeeper
fi
found=
for _ in $(seq 20); do
  ! found=$(list) || break
  sleep 2
done
if [ -z "$found" ]; then echo 'no other member answers that serves'; exit 1; fi
id=$(sed -n 's/^server[.]\\([0-9]*\\)=.*/\\1/p' <<<"$found" | sort -n | tail -n 1)
begin $((id + 1)) "$found
server.$((id + 1))=$ME:observer;$CLIENTS" aside
[ $ran = no ] || systemctl start zookeeper`,
  undo: `rm -rf -- ${CLUSTER} ${DATA}/myid`,
});

/** Lets a member that has the data decide, too. A former one of its name loses its vote. Notes which cluster it is. */
export const voteStep = (place: Place): Step => ({
  title: `Give ${place.server} its vote in the zookeeper cluster ${place.cluster}`,
  run: `${around(place)}
${ADMINISTER}
group=$(administer vote "$AT" ${quote(place.server)} "$ID" "$ME:participant;$CLIENTS")
(cd / && runuser -u zookeeper -- bash -c 'printf "%s\\n" "$2" >"$1"' bash ${GROUP} "$group")`,
  undo: `${around(place)}
${ADMINISTER}
administer remove "$AT" '' "$ID" || true`,
  keepsServing: true,
});

/** Keeps data that is not of this cluster beside the new one. */
export const keepDataStep = (cluster: string, data: { cluster?: string; id: string }): Step => {
  const kept = `/var/lib/zookeeper/former-${data.cluster ?? 'unknown'}-${data.id}`;
  return {
    title: `Keep the former data of zookeeper, which is not of the cluster ${cluster}, as ${kept}`,
    run: `systemctl stop zookeeper
cd /
runuser -u zookeeper -- bash -c 'set -eu
mkdir -p "$1"
for one in data cluster; do [ ! -e "/var/lib/zookeeper/$one" ] || mv -T --backup=numbered "/var/lib/zookeeper/$one" "$1/$one"; done' bash ${quote(kept)}`,
    undo: `cd /
runuser -u zookeeper -- bash -c 'set -eu
for one in data cluster; do [ -e "/var/lib/zookeeper/$one" ] || [ ! -e "$1/$one" ] || mv -T "$1/$one" "/var/lib/zookeeper/$one"; done' bash ${quote(kept)}`,
  };
};

/** Takes a member out, on another one. It may have gone for good. */
export const leaveStep = (place: Place, leaving: { server: string; id?: string }): Step => ({
  title: `Remove ${leaving.server} from the zookeeper cluster ${place.cluster}`,
  run: `${around(place)}
${ADMINISTER}
administer remove "$AT" ${quote(leaving.server)} ${quote(leaving.id ?? '')}`,
  irreversible: true,
});
