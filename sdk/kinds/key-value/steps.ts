import { quote } from '../../../core/host/shell.js';
import type { Step } from '../../../core/host/step.js';
import type { GroupContext } from '../../../core/taskserv/groups/group.js';
import { NOTE_CHANGE, undoIfNoted } from '../../../core/taskserv/step-note.js';
import { defineAsks, type FoundMember, LIBRARY } from './ask.js';
import { countReplicas, type KeyValueConfig, memberPort } from './conf.js';
import { DEFINES_PRIMARY_OF } from './member-program.js';
import type { Places } from './places.js';
import { FORGET, HAND_OVER } from './scripts.js';

/** A member of a group, with its answers. */
export type KeyValueMember = GroupContext<{ member: FoundMember }>['members'][number];

/** A member, and those that it asks. */
export interface Place {
  places: Places;
  config: KeyValueConfig;
  /** The name of the cluster. */
  cluster: string;
  /** Name of the member's server, which is its address. */
  server: string;
  /** Names of the servers of all other members. */
  others: readonly string[];
}

/** Bash with the names of a place, and what it asks with: `ME` is the member that the steps are about. */
export const defineAround = ({
  places,
  config,
  cluster,
  server,
  others,
}: Place): string => `ME=${quote(server)} CLUSTER=${quote(cluster)}
OTHERS=(${others.map(quote).join(' ')})
NAME=${places.name} STATE=${places.state} PORT=${memberPort(config)} SPORT=${config.sentinelPort}
LEAST=${countReplicas(others.length + 1)}
${defineAsks(places, config)}
# By the sentinel of a host: field NAME of the primary.
field() { tell "$1" master "$CLUSTER" 2>/dev/null | sed -n "/^$2\\$/{n;p}" || return 1; }
known() {
  as_user bash -c '${DEFINES_PRIMARY_OF}
primary_of "$1" "$2"' bash "$STATE" "$CLUSTER"
}
role() { at "$1" info replication 2>/dev/null | tr -d '\\r' | sed -n "s/^$2://p" || return 1; }
note() {
  as_user bash -c 'umask 027; printf "sentinel monitor %s %s %s 1\\n" "$2" "$3" "$4" >"$1.new" && mv -fT -- "$1.new" "$1"' bash "$STATE" "$CLUSTER" "$1" "$PORT"
}`;

/**
 * The first member begins the cluster. It looks once more whether another one knows one: two clusters of one name would both
 * take writes. Data of a single server becomes that of the cluster.
 */
export const createFounding = (place: Place): Step => ({
  title: `Found the ${place.places.name} cluster ${place.cluster}`,
  run: `${defineAround(place)}
now=$(known)
[ -z "$now" ] || exit 0
for each in "\${OTHERS[@]}"; do
  now=$(field "$each" ip) || now=
  if [ -n "$now" ]; then
    echo "$each knows a primary of the cluster: it has been founded in the meantime, apply again"
    exit 1
  fi
done
${NOTE_CHANGE}
if ! systemctl is-active -q ${place.places.server}; then
  # With a log of every write it reads no snapshot beside it.
  as_user bash -c 'set -euo pipefail
umask 027
cd "$1"
if [ -e dump.rdb ] && [ ! -e appendonlydir ]; then
  rm -rf appendonlydir.new
  mkdir appendonlydir.new
  cp dump.rdb appendonlydir.new/appendonly.aof.1.base.rdb
  echo "file appendonly.aof.1.base.rdb seq 1 type b" >appendonlydir.new/appendonly.aof.manifest
  sync appendonlydir.new/*
  mv -T -- appendonlydir.new appendonlydir
fi' bash ${place.places.data}
fi
note "$ME"`,
  undo: undoIfNoted(forget(place)),
});

/** What a host that has joined or founded a cluster no longer knows after a roll-back. The data stays. */
const forget = ({ places }: Place): string =>
  `cd / && setpriv --reuid=${places.name} --regid=${places.name} --clear-groups -- rm -f -- ${places.state}`;

/**
 * Lets a member follow the primary. Who that is, the other sentinels say, and the one with the newest decision counts. A host
 * with the name of the primary waits until another one is that: without its data it would empty the others.
 */
export const joinStep = (place: Place): Step => ({
  title: `Add ${place.server} to the ${place.places.name} cluster ${place.cluster}`,
  run: `${defineAround(place)}
now=$(known)
if [ -n "$now" ] && systemctl is-active -q ${place.places.sentinel}; then exit 0; fi
${NOTE_CHANGE}
why='no other member answers that knows the primary'
for _ in $(seq 60); do
  primary= newest=-1
  for each in "\${OTHERS[@]}"; do
    found=$(field "$each" ip) && epoch=$(field "$each" config-epoch) || continue
    if [[ $found =~ ^[A-Za-z0-9][A-Za-z0-9.:-]*$ && $epoch =~ ^[0-9]{1,18}$ ]] && [ "$epoch" -gt "$newest" ]; then
      primary=$found newest=$epoch
    fi
  done
  if [ "$primary" = "$ME" ]; then
    why="the others still take the former $ME for the primary: no majority of the sentinels has chosen another one"
  elif [ -n "$primary" ]; then
    now=$(role "$primary" role) || now=
    if [ "$now" = master ]; then note "$primary"; exit 0; fi
    why="$primary does not answer as the primary"
  fi
  sleep 2
done
echo "$why"
exit 1`,
  // A sentinel that knows it lets it follow again, whatever it has by then.
  undo: undoIfNoted(`systemctl stop ${place.places.server} ${place.places.sentinel} 2>/dev/null || true
if systemctl is-active -q ${place.places.server}; then echo '${place.places.server} does not stop'; exit 1; fi
${defineAround(place)}
${FORGET}
for each in "\${OTHERS[@]}"; do
  primary=$(field "$each" ip) || primary=
  if [ -n "$primary" ]; then forget "$each"; fi
done
${forget(place)}`),
});

/** Lets another member lead before a restart. It looks who leads. */
export const handOverStep = (place: Place): Step => ({
  title: `Hand over the lead of the ${place.places.name} cluster ${place.cluster}`,
  run: `${defineAround(place)}
${HAND_OVER}
systemctl is-active -q ${place.places.server} || exit 0
for each in 127.0.0.1 "\${OTHERS[@]}"; do
  primary=$(field "$each" ip) || continue
  [ -n "$primary" ] || continue
  [ "$primary" = "$ME" ] || exit 0
  # No other one is there yet.
  now=$(field "$each" num-slaves) && others=$(field "$each" num-other-sentinels) || continue
  if [ "$now $others" = '0 0' ]; then exit 0; fi
  hand_over 127.0.0.1 "$ME" "$each"
  exit 0
done
now=$(role 127.0.0.1 role) || now=master
if [ "$now" = master ]; then echo 'no sentinel answers that could make another member the primary'; exit 1; fi`,
  undo: ':',
  keepsServing: true,
});

/** Seconds until a member has the data. Less than the hour that the platform waits for a step. */
const SYNC_SECONDS = 45 * 60;

/** Seconds in which it has to come nearer: it answers, loads its data, or gets that of the primary. */
const ANSWER_SECONDS = 90;

/**
 * Waits until a member leads, or has all data of the primary, and the others know it: only then the next one may be worked
 * on. Notes which cluster it is.
 *
 * @param founds it is the first of a new cluster, and no other one is there yet
 */
export const waitStep = (place: Place, founds: boolean): Step => ({
  title: `Wait until ${place.server} serves in the ${place.places.name} cluster ${place.cluster}`,
  run: `${defineAround(place)}
identity() { at "$1" function list libraryname '${LIBRARY}*' 2>/dev/null | sed -n '/^library_name$/{n;s/^${LIBRARY}//p}' | sort | sed -n 1p || return 1; }
# Name of the library: what the data of all members has. The first member has no replica yet.
identify() {
  local new
  # One that does not answer may have one.
  new=$(identity "$1") || return 1
  if [ -n "$new" ]; then return 0; fi
  new=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n') || return 1
  ${founds ? 'own config set min-replicas-to-write 0 >/dev/null || return 1\n  ' : ''}at "$1" function load "#!lua name=${LIBRARY}$new
redis.register_function('${LIBRARY}$new', function() return '$new' end)" >/dev/null 2>&1 || true
}
sees_me() {
  local seen
  seen=$(tell "$1" "$2" "$CLUSTER" 2>/dev/null | paste -sd' ') || return 1
  [[ " $seen " == *" ip $ME "* ]]
}
others_see_me() {
  local each now
  for each in "\${OTHERS[@]}"; do
    now=$(field "$each" ip) || now=
    if [ -z "$now" ]; then continue; fi
    if ! sees_me "$each" sentinels; then said="the sentinel of $each does not know it yet"; return 1; fi
    if [ "$1" != "$ME" ] && ! sees_me "$each" replicas; then said="the sentinel of $each does not know its server yet"; return 1; fi
  done
}
# Replicas that a primary needs: while the cluster grows, as many as the majority of those that are there has.
settle() {
  local now each
  now=$(field 127.0.0.1 num-slaves) || now=
  if ! [[ $now =~ ^[0-9]{1,3}$ ]]; then now=0; fi
  now=$(((now + 1) / 2))
  if [ $now -lt 1 ]; then now=1; fi
  if [ $now -gt $LEAST ]; then now=$LEAST; fi
  own config set min-replicas-to-write $now >/dev/null || return 1
  for each in "\${OTHERS[@]}"; do at "$each" config set min-replicas-to-write $now >/dev/null 2>&1 || true; done
}
look() {
  local primary usable voters at now
  primary=$(field 127.0.0.1 ip) || true
  if [ -z "$primary" ]; then said='its sentinel does not answer'; return 1; fi
  at=$primary
  if [ "$primary" = "$ME" ]; then
    at=127.0.0.1
    now=$(role 127.0.0.1 role) || now=
    if [ "$now" != master ]; then said='its server is not the primary that its sentinel takes it for'; return 1; fi
  else
    now=$(role 127.0.0.1 master_host) || now=
    if [ "$now" != "$primary" ]; then said="it does not follow $primary"; return 1; fi
    now=$(role 127.0.0.1 master_sync_in_progress) || now=
    if [ "$now" = 1 ]; then said="it gets the data of $primary"; moves=yes; return 1; fi
    now=$(role 127.0.0.1 master_link_status) || now=
    if [ "$now" != up ]; then said="it has no connection to $primary"; return 1; fi
  fi
${
  founds
    ? ''
    : `  usable=$(tell 127.0.0.1 ckquorum "$CLUSTER" 2>&1) || true
  voters=$(field 127.0.0.1 num-other-sentinels) || true
  if ! [[ "$voters $usable" =~ ^([0-9]+)\\ .*(OK|NOQUORUM)\\ ([0-9]+)\\ usable ]] || [ $((BASH_REMATCH[3] * 2)) -le $((BASH_REMATCH[1] + 1)) ]; then
    said='its sentinel reaches no majority of the others'
    return 1
  fi
  others_see_me "$primary" || return 1
`
}  identify "$at" || { said="$primary does not say which cluster it is"; return 1; }
  id=$(identity 127.0.0.1) || id=
  if ! [[ $id =~ ^[0-9a-f]{16}$ ]]; then said='its data has no identity yet'; return 1; fi
  settle
}
said= moves= id= end=$((SECONDS + ${SYNC_SECONDS})) last=$((SECONDS + ${ANSWER_SECONDS}))
while [ $SECONDS -lt $end ] && [ $SECONDS -lt $last ]; do
  moves=
  if look; then
    as_user bash -c 'umask 027; echo "$2" >"$1.new" && mv -fT -- "$1.new" "$1"' bash ${place.places.note} "$id"
    exit 0
  fi
  now=$(own info persistence 2>&1) || true
  if [ -n "$moves" ] || [[ $now == *loading:1* ]]; then last=$((SECONDS + ${ANSWER_SECONDS})); fi
  sleep 1
done
printf '%s\\n' "$said" | tail -n 5
exit 1`,
  undo: founds ? saveSnapshot(place) : ':',
  keepsServing: true,
});

/** What a founder took since its start is in its log only, which a single server may not read. */
const saveSnapshot = (place: Place): string => `systemctl is-active -q ${place.places.server} || exit 0
${defineAround(place)}
said=$(own ping) || said=
[ "$said" = PONG ] || exit 0
said=$(own config set min-replicas-to-write 1000)
if [ "$said" != OK ]; then echo 'it does not stop to take writes'; exit 1; fi
said=$(LIMIT=1800 own save)
if [ "$said" != OK ]; then echo 'it cannot write its snapshot'; exit 1; fi`;
