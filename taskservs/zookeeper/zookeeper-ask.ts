import { type CommandOutput, type Fact, fact, quote, unreachableError } from '../../sdk/index.js';
import { CLUSTER, GROUP } from './zookeeper-places.js';
import { DATA } from './zookeeper-unit.js';

/** A member with a vote, as the others list it. */
export interface ListEntry {
  id: string;
  /** Its address and its ports: `a:2888:3888`. */
  peers: string;
  /** Where clients reach it: `0.0.0.0:2181`. */
  clients: string;
}

/** What a host knows about its member. */
export interface FoundMember {
  /** Of its data. `cluster` is absent until it has its vote. */
  data?: { cluster?: string; id: string };
  /** It follows or leads a majority. */
  serves: boolean;
  leads: boolean;
  /** All members with a vote, as this one knows them. Empty if it does not serve. */
  list: ListEntry[];
}

/** Facts of a member of a cluster. */
export type ZookeeperFacts = { member: Fact<FoundMember> };

const NOTHING: FoundMember = { serves: false, leads: false, list: [] };

/**
 * What is read as the user of ZooKeeper, in one process: its number, its cluster, and where it listens. What is not there
 * is empty, but what cannot be read fails: a step would take its data for none. ZooKeeper replaces its list at each change.
 */
const READ_OWN = `set -euo pipefail
there() {
  local why
  why=$(LC_ALL=C stat -- "$1" 2>&1) && return
  case "$why" in *'No such file or directory') return 1 ;; *) exit 1 ;; esac
}
there ${DATA}/myid || exit 0
id=$(cat ${DATA}/myid)
group= at=
if there ${GROUP}; then group=$(cat ${GROUP}); fi
if there ${CLUSTER}/zoo.cfg; then
  for _ in 1 2 3; do
    list=$(sed -n 's/^dynamicConfigFile=//p' ${CLUSTER}/zoo.cfg)
    if at=$(sed -n "s/^server[.]$id=.*;//p" "$list" 2>/dev/null); then break; fi
  done
fi
printf '%s\\n' "$id" "$group" "$at"`;

/**
 * Bash that defines `say ADDRESS PORT WORD`, which prints what a server answers to one of its words, `own WORD`, which asks
 * that of this host, and `look`, which sets `ID`, `GROUP` and `AT`: number, cluster and address of the member of this host,
 * or nothing. It fails if they cannot be read.
 */
export const ASKS = `say() { { exec 3<>"/dev/tcp/$1/$2"; } 2>/dev/null || return 1; if printf %s "$3" >&3; then timeout 2 cat <&3; fi; exec 3>&-; }
ID= GROUP= AT=
look() {
  local told
  told=$(cd / && runuser -u zookeeper -- bash -c ${quote(READ_OWN)}) || return 1
  { IFS= read -r ID; IFS= read -r GROUP; IFS= read -r AT; } <<<"$told" || true
  case "$AT" in 0.0.0.0:*) AT=127.0.0.1:\${AT##*:} ;; esac
}
own() {
  local host=\${AT%:*}
  host=\${host#[[]}
  [ -n "$AT" ] && say "\${host%]}" "\${AT##*:}" "$1"
}`;

/** Asks a host about its member. */
export const memberFact = (): Fact<FoundMember> =>
  fact(
    // Before its package is installed, its user is not there.
    `${ASKS}
id -u zookeeper >/dev/null 2>&1 || exit 0
# A member that cannot be read is not one without data.
look 2>/dev/null || exit 1
[ -n "$ID" ] || exit 0
echo "data $ID $GROUP"
systemctl is-active -q zookeeper || exit 0
own srvr | grep '^Mode: ' || exit 0
own mntr | grep '^zk_synced_followers' || true
own conf | grep '^server[.]' || true`,
    readMember,
    NOTHING,
  );

/**
 * Reads the answer of a host. What has another form does not count: it comes from the network.
 *
 * @throws unreachableError if the host could not read it: that is not a member without data
 */
export function readMember({ stdout, exit }: Pick<CommandOutput, 'stdout' | 'exit'>): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      code: 'look-broken',
      what: 'read the member of zookeeper',
      why: `its data could not be read (status ${exit})`,
    });
  const lines = stdout.split('\n').map((line) => line.trim());
  const [, id, cluster] = lines.map((line) => /^data (\d{1,10})(?: ([0-9a-f-]{36}))?$/.exec(line)).find(Boolean) ?? [];
  const list = lines.flatMap((line): ListEntry[] => {
    const found = /^server\.(\d{1,10})=([A-Za-z0-9.-]+:\d+:\d+):participant;([0-9A-Za-z.:[\]-]+)$/.exec(line);
    return found ? [{ id: found[1] ?? '', peers: found[2] ?? '', clients: found[3] ?? '' }] : [];
  });
  const followers = Number(/^zk_synced_followers\s+(\d+)$/m.exec(lines.join('\n'))?.[1] ?? 0);
  // A leader knows within a moment that followers are gone, and steps back only seconds later.
  const leads = lines.includes('Mode: leader') && (followers + 1) * 2 > list.length;
  const serves = (leads || lines.includes('Mode: follower')) && list.some((entry) => entry.id === id);
  return {
    ...(id && { data: { id, ...(cluster && { cluster }) } }),
    ...{ serves, leads: leads && serves, list: serves ? list : [] },
  };
}
