import { type GroupContext, hostPart, NOTE_CHANGE, quote, type Step, undoIfNoted } from '../../sdk/index.js';
import { ADMINISTER } from './zookeeper-administer.js';
import { ASKS, type FoundMember, type ListEntry } from './zookeeper-ask.js';
import type { ZookeeperConfig } from './zookeeper-config.js';
import { CLUSTER, FOUNDING, GROUP } from './zookeeper-places.js';
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

/** Where clients reach a member, as the list has it. */
export const writeClients = ({ clients, config }: Pick<Place, 'clients' | 'config'>): string =>
  `${hostPart(clients)}:${config.port}`;

/** Bash with the names of a place, and with `serving`, which prints the address of another member that serves. */
const around = ({ config, server, clients, others }: Place): string => `ME=${quote(writePeers(server, config))}
CLIENTS=${quote(writeClients({ clients, config }))}
OTHERS=${quote(others.map(({ address }) => address).join(' '))}
PORT=${config.port}
${ASKS}
look
serving() {
  local each
  for each in $OTHERS; do
    if say "$each" "$PORT" srvr | grep -Eq '^Mode: (leader|follower)'; then printf '%s\\n' "$each" && return; fi
  done
  return 1
}
# Which members it knows at its next start, and by what number it goes.
begin() {
  (cd / && runuser -u zookeeper -- bash -c 'set -euo pipefail
umask 027
mkdir -p "$1" "$2"
if [ "$5" = aside ] && [ -e "$2/version-2" ]; then mv -T --backup=numbered "$2/version-2" "$2/former"; fi
if [ "$5" = keep ]; then touch "$1/founding"; else rm -f "$1/founding"; fi
printf "%s\\n" "$4" >"$1/initial"
printf "dynamicConfigFile=%s\\n" "$1/initial" >"$1/zoo.cfg"
printf "%s\\n" "$3" >"$2/myid"' bash ${CLUSTER} ${DATA} "$1" "$2" "$3")
}`;

/**
 * The first member begins the cluster alone. It looks once more whether another one answers: two clusters of one name
 * would both take writes. Data of a single server becomes that of the cluster.
 */
export const createFounding = (place: Place): Step => ({
  title: `Found the zookeeper cluster ${place.cluster}`,
  run: `${around(place)}
[ -z "$ID" ] || exit 0
if [ -n "$OTHERS" ] && serving >/dev/null; then
  echo "a member of the cluster answers: it has been founded in the meantime, apply again"
  exit 1
fi
${NOTE_CHANGE}
begin 1 "server.1=$ME:participant;$CLIENTS" keep`,
  undo: undoIfNoted(`rm -rf -- ${CLUSTER} ${DATA}/myid`),
});

/**
 * Lets a member begin as one that only follows: it gets the data, and decides once it has it (`voteStep`). A join that is
 * cut off leaves the quorum as it was. It gets a number that none had: the former machine's may still have a vote. One that
 * has begun keeps its number unless another member got it.
 */
export const joinStep = (place: Place): Step => ({
  title: `Add ${place.server} to the zookeeper cluster ${place.cluster}`,
  run: `${around(place)}
${ADMINISTER}
[ -z "$GROUP" ] || exit 0
from= found=
for _ in $(seq 20); do
  if from=$(serving) && found=$(say "$from" "$PORT" conf | grep '^server[.]'); then break; fi
  from=
  sleep 2
done
if [ -z "$from" ]; then echo 'no other member answers that serves'; exit 1; fi
ran=no
if systemctl is-active -q zookeeper; then
  if [ -n "$ID" ] && own srvr | grep -q '^Mode: '; then
    taken=$(sed -n "s/^server[.]$ID=//p" <<<"$found")
    case "$taken" in ''|"\${ME%%:*}:"*) exit 0 ;; esac
  fi
  ran=yes
  systemctl stop zookeeper
fi
${NOTE_CHANGE}
case "$from" in *:*) from="[$from]" ;; esac
id=$(administer take "$from:$PORT")
begin "$id" "$found
server.$id=$ME:observer;$CLIENTS" aside
[ $ran = no ] || systemctl start zookeeper`,
  undo: undoIfNoted(`rm -rf -- ${CLUSTER} ${DATA}/myid`),
});

/**
 * Lets a member that has the data decide, too. A former one of its name loses its vote. Notes which cluster it is.
 *
 * @param joined it had no vote before these steps: without them it has none again
 */
export const voteStep = (place: Place, joined: boolean): Step => ({
  title: `Give ${place.server} its vote in the zookeeper cluster ${place.cluster}`,
  run: `${around(place)}
${ADMINISTER}
how=joins
if (cd / && runuser -u zookeeper -- test -e ${FOUNDING}); then how=founds; fi
hosts=()
for each in $OTHERS; do
  case "$each" in *:*) each="[$each]" ;; esac
  hosts+=("$each:$PORT")
done
entry=$(own conf | grep "^server[.]$ID=.*:participant;") || entry=
if [ -z "$entry" ]; then ${NOTE_CHANGE}; fi
group=$(administer vote "$AT" ${quote(place.server)} "$ID" "$ME:participant;$CLIENTS" $how "\${hosts[@]}")
(cd / && runuser -u zookeeper -- bash -c 'set -eu
printf "%s\\n" "$2" >"$1"
rm -f -- "$3"' bash ${GROUP} "$group" ${FOUNDING})`,
  undo: joined
    ? undoIfNoted(`${around(place)}
${ADMINISTER}
administer remove "$AT" ${quote(place.server)} "$ID" || true`)
    : ':',
  keepsServing: true,
});

/** Says the ports of a member with a vote to the others, if they have other ones. */
export const announceStep = (place: Place, { id, peers, clients }: ListEntry): Step => {
  const announces = (entry: string, before = ''): string => `${around(place)}
${ADMINISTER}${before}
administer announce "$AT" ${quote(place.server)} ${quote(id)} ${entry}`;
  return {
    title: `Announce the address of ${place.server} to the zookeeper cluster ${place.cluster}`,
    run: announces(
      '"$ME:participant;$CLIENTS"',
      `
entry=$(own conf | sed -n "s/^server[.]$ID=//p") || entry=
if [ "$entry" != "$ME:participant;$CLIENTS" ]; then ${NOTE_CHANGE}; fi`,
    ),
    undo: undoIfNoted(announces(quote(`${peers}:participant;${clients}`))),
    keepsServing: true,
  };
};

/** Keeps data that is not of this cluster beside the new one. */
export const keepDataStep = (cluster: string, data: { cluster?: string; id: string }): Step => {
  const kept = `/var/lib/zookeeper/former-${data.cluster ?? 'unknown'}-${data.id}`;
  return {
    title: `Keep the former data of zookeeper, which is not of the cluster ${cluster}, as ${kept}`,
    run: `systemctl stop zookeeper
cd /
there=$(runuser -u zookeeper -- bash -c 'for one in data cluster; do [ ! -e "/var/lib/zookeeper/$one" ] || echo "$one"; done')
[ -n "$there" ] || exit 0
${NOTE_CHANGE}
runuser -u zookeeper -- bash -c 'set -eu
mkdir -p "$1"
for one in data cluster; do [ ! -e "/var/lib/zookeeper/$one" ] || mv -T --backup=numbered "/var/lib/zookeeper/$one" "$1/$one"; done' bash ${quote(kept)}`,
    undo: undoIfNoted(`cd /
runuser -u zookeeper -- bash -c 'set -eu
for one in data cluster; do [ -e "/var/lib/zookeeper/$one" ] || [ ! -e "$1/$one" ] || mv -T "$1/$one" "/var/lib/zookeeper/$one"; done' bash ${quote(kept)}`),
  };
};

/** Takes a member out, on another one. It may have gone for good. */
export const leaveStep = (place: Place, leaving: string): Step => ({
  title: `Remove ${leaving} from the zookeeper cluster ${place.cluster}`,
  run: `${around(place)}
${ADMINISTER}
administer remove "$AT" ${quote(leaving)}`,
  irreversible: true,
});
