import {
  type GroupContext,
  hostPart,
  MANAGED_FILE_HEADER,
  NOTE_CHANGE,
  quote,
  type Step,
  sh,
  undoIfNoted,
} from '../../sdk/index.js';
import { DATA, definesCtl, type FoundMember, JOIN_MARK, PRINT_IDENTITY, peerUrl } from './etcd-ask.js';
import type { EtcdConfig } from './etcd-defaults.js';

/** What only the first start of a member reads. It does not outlive a start of the machine, and not its own start. */
const INITIAL = '/run/provisioning-etcd/initial';

/**
 * Etcd is ready once a majority agrees. Systemd does not wait for that, or no member could be started before the others:
 * the health check waits.
 */
export const INITIAL_DROP_IN = {
  path: '/etc/systemd/system/etcd.service.d/provisioning-cluster.conf',
  content: `${MANAGED_FILE_HEADER}
[Service]
Type=exec
EnvironmentFile=-${INITIAL}
ExecStartPost=+/bin/rm -f ${INITIAL}
`,
};

/** A member of a group, with its answers. */
export type EtcdMember = GroupContext<{ member: FoundMember }>['members'][number];

/** A member, and those that it asks. */
export interface Place {
  config: EtcdConfig;
  /** The name of the cluster. */
  cluster: string;
  /** Name of the member's server, which is its address. */
  server: string;
  /** All other members. Who serves is found out by the step: its text is the same for each look. */
  others: readonly EtcdMember[];
}

/** Bash with the names of a place: `ME`, `URL`, `OTHERS`, and the functions that ask. */
const around = ({ config, server, others }: Place): string => `ME=${quote(server)}
URL=${quote(peerUrl(server, config))}
OTHERS=${quote(others.map(({ address }) => `https://${hostPart(address)}:${config.port}`).join(' '))}
${definesCtl(config)}
listed() { awk -F', ' -v url="$URL" '$4 == url'; }`;

const WRITE_INITIAL = `install -d -m 0755 ${INITIAL.slice(0, INITIAL.lastIndexOf('/'))}
printf 'ETCD_INITIAL_CLUSTER_STATE=%s\\nETCD_INITIAL_CLUSTER=%s\\n%s' "$state" "$initial" "$token" >${INITIAL}`;

/**
 * The first member begins the cluster alone. It looks once more whether another one answers: two clusters of one name
 * would both take writes.
 */
export const createFounding = (place: Place): Step => ({
  title: `Found the etcd cluster ${place.cluster}`,
  run: `${around(place)}
data=$(${PRINT_IDENTITY})
[ -z "$data" ] || exit 0
if [ -n "$OTHERS" ] && others member list >/dev/null 2>&1; then
  echo "a member of the cluster answers: it has been founded in the meantime, apply again"
  exit 1
fi
state=new initial="$ME=$URL" token="ETCD_INITIAL_CLUSTER_TOKEN=$(cat /proc/sys/kernel/random/uuid)
"
${NOTE_CHANGE}
${WRITE_INITIAL}`,
  undo: undoIfNoted(`rm -f ${INITIAL}`),
});

/**
 * Adds a member by another one. It does not decide before it has the data (`promoteStep`): a join that is cut off leaves
 * the quorum as it was. An entry of its address that has never started is its own; one that has started is the former
 * machine's.
 */
export const joinStep = (place: Place): Step => ({
  title: `Add ${place.server} to the etcd cluster ${place.cluster}`,
  run: `${around(place)}
data=$(${PRINT_IDENTITY})
[ -z "$data" ] || exit 0
${NOTE_CHANGE}
said='no other member answers' entry=
for _ in $(seq 20); do
  if list=$(others member list 2>&1); then
    entry=$(listed <<<"$list")
    case "$entry" in
      *', unstarted, '*) break ;;
      '') said=$(others member add "$ME" --learner --peer-urls="$URL" 2>&1) && continue ;;
      *) said=$(others member remove "\${entry%%,*}" 2>&1) && continue ;;
    esac
    entry=
  else
    said=$list
  fi
  sleep 2
done
if [ -z "$entry" ]; then
  printf '%s\\n' "$said" | tail -n 5
  exit 1
fi
state=existing token= initial=$(awk -F', ' -v url="$URL" -v me="$ME" '{
  name = $4 == url ? me : $3 == "" ? $1 : $3; gsub(",", "," name "=", $4); print name "=" $4 }' <<<"$list" | paste -sd,)
runuser -u etcd -- touch ${JOIN_MARK}
${WRITE_INITIAL}`,
  undo: undoIfNoted(`${around(place)}
rm -f ${INITIAL}
list=$(others member list)
entry=$(listed <<<"$list")
[ -z "$entry" ] || others member remove "\${entry%%,*}"`),
});

/** Seconds in which a member gets its vote that has the data. */
const PROMOTE_SECONDS = 60;

/** Seconds in which it gets the data, as long as it runs. Less than the hour that the platform waits for a step. */
const SYNC_SECONDS = 45 * 60;

/** Lets a member that has the data decide, too. */
export const promoteStep = (place: Place): Step => ({
  title: `Give ${place.server} its vote in the etcd cluster ${place.cluster}`,
  run: `${around(place)}
said='no other member answers' end=$((SECONDS + ${PROMOTE_SECONDS})) last=$((SECONDS + ${SYNC_SECONDS}))
while [ $SECONDS -lt $end ] && [ $SECONDS -lt $last ]; do
  if list=$(others member list 2>&1); then
    entry=$(listed <<<"$list")
    case "$entry" in
      *', started, '*', false') if said=$(own endpoint health 2>&1); then
        runuser -u etcd -- rm -f ${JOIN_MARK}
        exit 0
      fi ;;
      *', true')
        said=$(others member promote "\${entry%%,*}" 2>&1) && continue
        case "$said" in *'in sync'*) if own endpoint status >/dev/null 2>&1; then end=$((SECONDS + ${PROMOTE_SECONDS})); fi ;; esac ;;
      *) said="$ME is not among the members" ;;
    esac
  else
    said=$list
  fi
  sleep 1
done
printf '%s\\n' "$said" | tail -n 5
exit 1`,
  undo: ':',
  keepsServing: true,
});

/** Says the address of a member to the others, if they have another one: of a member that was alone, or of another port. */
export const announceStep = (place: Place, id: string): Step => ({
  title: `Announce the address of ${place.server} to the etcd cluster ${place.cluster}`,
  run: `${around(place)}
for _ in $(seq 30); do
  if list=$(own member list 2>&1); then
    entry=$(awk -F', ' -v id=${quote(id)} '$1 == id' <<<"$list")
    [ -n "$(listed <<<"$entry")" ] || own member update ${quote(id)} --peer-urls="$URL"
    exit 0
  fi
  sleep 1
done
printf '%s\\n' "$list" | tail -n 5
exit 1`,
  undo: ':',
  keepsServing: true,
});

/** Hands over the lead before a restart, so that no client waits for an election. It looks who leads. */
export const handOverStep = (place: Place): Step => ({
  title: `Hand over the lead of the etcd cluster ${place.cluster}`,
  run: `${around(place)}
status=$(own endpoint status) || exit 0
[ "$(awk -F', ' '{ print $5 }' <<<"$status")" = true ] || exit 0
for id in $(own member list | awk -F', ' -v url="$URL" '$2 == "started" && $4 != url && $6 == "false" { print $1 }'); do
  if own move-leader "$id"; then exit 0; fi
done`,
  undo: ':',
  keepsServing: true,
});

/**
 * Gives the lead to another member on request, on the one that leads. It does nothing if the wanted one leads already.
 *
 * @param to address of the next leader; absent: any that has a vote
 */
export const switchOverStep = (place: Place, to: string | undefined): Step => ({
  title: `Let ${to ?? 'another member'} lead the etcd cluster ${place.cluster} instead of ${place.server}`,
  run: `${around(place)}
WANTED=${to === undefined ? "''" : quote(peerUrl(to, place.config))}
fail() { echo "$1"; exit 1; }
# Finds the members, and the address for members of the one that leads.
look() {
  local status leader
  status=$(own endpoint status -w fields) && list=$(own member list) || return 1
  leader=$(perl -ne 'printf "%x", $1 if /^"Leader" : ([0-9]+)$/' <<<"$status")
  at=$(awk -F', ' -v id="$leader" '$1 == id { print $4 }' <<<"$list")
  [ -n "$at" ]
}
is_done() { if [ -n "$WANTED" ]; then [ "$at" = "$WANTED" ]; else [ "$at" != "$URL" ]; fi; }
look || fail 'etcd does not answer, or has no leader: nothing was changed'
if is_done; then exit 0; fi
[ "$at" = "$URL" ] || fail 'a third member leads by now: nothing was changed'
others=$(awk -F', ' -v url="$URL" -v wanted="$WANTED" '$2 == "started" && $4 != url && $6 == "false" && (wanted == "" || $4 == wanted) { print $1 }' <<<"$list")
[ -n "$others" ] || fail 'no such member has a vote: nothing was changed'
for id in $others; do
  own move-leader "$id" || true
  # The answer may be lost: the members themselves say who leads.
  for _ in $(seq 20); do
    if look && is_done; then exit 0; fi
    sleep 0.5
  done
done
fail 'the leader has not changed'`,
  undo: ':',
  keepsServing: true,
});

/** Keeps data that is not of this cluster beside the new one. Etcd would not start with it, or found a cluster of its own. */
export const keepDataStep = (cluster: string, data: { cluster: string; id: string }): Step => {
  const kept = `/var/lib/etcd/former-${data.cluster}-${data.id}`;
  return {
    title: `Keep the former data of etcd, which is not of the cluster ${cluster}, as ${kept}`,
    run: `systemctl stop etcd
runuser -u etcd -- test -e ${DATA} || exit 0
${NOTE_CHANGE}
${sh`runuser -u etcd -- mv -T --backup=numbered ${DATA} ${kept}`}`,
    undo: undoIfNoted(
      sh`if runuser -u etcd -- test ! -e ${DATA} && runuser -u etcd -- test -e ${kept}; then runuser -u etcd -- mv -T ${kept} ${DATA}; fi`,
    ),
  };
};

/** Takes a member out, on another one. It may have gone for good. */
export const leaveStep = (place: Place, leaving: { server: string; id?: string }): Step => ({
  title: `Remove ${leaving.server} from the etcd cluster ${place.cluster}`,
  run: `${around({ ...place, server: leaving.server })}
list=$(own member list)
entry=$(awk -F', ' -v url="$URL" -v id=${quote(leaving.id ?? 'none')} '$4 == url || $1 == id' <<<"$list")
[ -n "$entry" ] || exit 0
said=
for _ in $(seq 20); do
  if said=$(own member remove "\${entry%%,*}" 2>&1); then exit 0; fi
  case "$said" in *'not found'*) exit 0 ;; esac
  sleep 2
done
printf '%s\\n' "$said" | tail -n 5
exit 1`,
  irreversible: true,
});
