import { quote, type Step } from '../../sdk/index.js';
import { ADMINISTER } from './kafka-administer.js';
import { FIND_PLACE, type FoundData } from './kafka-ask.js';
import type { KafkaConfig } from './kafka-config.js';
import { BEGIN_MARK, CLUSTER_MARK, CONF, computeNode, copiesIn, DATA, type Hosts, JOIN_MARK, joinPort } from './kafka-places.js';

/** A member, and those that it asks. */
export interface Place {
  config: KafkaConfig;
  /** The name of the cluster. */
  cluster: string;
  /** Name of the member's server. */
  server: string;
  /** How others reach it. */
  peers: Hosts;
  /** Addresses of all other members. Who serves is found out by the step: its text is the same for each look. */
  others: readonly string[];
}

/** Bash with the names of a place: `AT`, `HOW`, `OTHERS`, `NODE` and `PLACE`, and the functions that ask. */
const around = ({ config, server, others }: Pick<Place, 'config' | 'server' | 'others'>): string => `${ADMINISTER}
find_ends
OTHERS=(${others.map((other) => quote(joinPort(other, config.peerPort))).join(' ')})
NODE=${computeNode(server)}
${FIND_PLACE}`;

/** Bash that runs the rest as the user of Kafka. */
const AS_USER = `(cd / && runuser -u kafka -- bash -c`;

/**
 * Bash that defines `begin CLUSTER HOW single|member`, which makes the data of a member. The data is there as a whole or not at all.
 * Kafka's program for it is of the version that the unit names.
 */
const BEGIN = `begin() {
  local folder
  folder=$(sed -n 's/^WorkingDirectory=//p' /etc/systemd/system/kafka.service)
  install -d -m 0750 -o kafka -g kafka /var/lib/kafka
  ${AS_USER} 'set -euo pipefail
umask 027
rm -rf -- "$1.new" "$6"
sed "s|^log[.]dirs=.*|log.dirs=$1.new|" ${CONF} >"$1.properties"
if ! said=$(/usr/bin/java -Xmx256m -cp "$2/libs/*" kafka.tools.StorageTool format --cluster-id "$3" --config "$1.properties" "$4" 2>&1); then
  tail -n 5 <<<"$said"
  exit 1
fi
rm -f -- "$1.properties"
if [ "$4" = --standalone ]; then rm -f -- "$5"; else touch "$5"; fi
if [ "$7" = single ]; then rm -f -- "$8"; else touch "$8"; fi
sed -n "s/^directory[.]id=//p" "$1.new/meta.properties" >"$6"
if [ -e "$1" ]; then mv -T --backup=numbered "$1" "$1.former"; fi
mv -T "$1.new" "$1"' bash ${DATA} "$folder" "$1" "$2" ${JOIN_MARK} ${BEGIN_MARK} "$3" ${CLUSTER_MARK})
}`;

/** Keeps data that was begun in vain. A step that refused to begin has left the data of another one. */
const UNDO_BEGIN = `if id -u kafka >/dev/null 2>&1; then
  ${AS_USER} 'set -eu
[ -s "$3" ] || exit 0
begun=$(cat "$3")
if [ -e "$1/meta.properties" ]; then
  there=$(sed -n "s/^directory[.]id=//p" "$1/meta.properties")
  [ "$there" = "$begun" ] || exit 0
  mv -T --backup=numbered "$1" "$1.undone"
fi
rm -f -- "$2" "$3"' bash ${DATA} ${JOIN_MARK} ${BEGIN_MARK})
fi`;

const NEW_ID = `python3 -c '
import base64, uuid
made = "-"
while made.startswith("-"):
    made = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
print(made)'`;

/** A single server begins with no data. */
export const createSingle = (place: Omit<Place, 'cluster'>): Step => ({
  title: 'Create the data of kafka',
  run: `${around(place)}
${BEGIN}
[ -z "$PLACE" ] || exit 0
begin "$(${NEW_ID})" --standalone single`,
  undo: UNDO_BEGIN,
});

/**
 * The first member begins the cluster. It looks once more whether another one answers: two clusters of one name would both
 * take writes.
 */
export const createFounding = (place: Place): Step => ({
  title: `Found the kafka cluster ${place.cluster}`,
  run: `${around(place)}
${BEGIN}
[ -z "$PLACE" ] || exit 0
# Only the answer that no member is there lets it begin.
administer "$HOW" alone "\${OTHERS[@]}"
begin "$(${NEW_ID})" --standalone member`,
  undo: UNDO_BEGIN,
});

/** Lets a member begin as one that only follows: it gets the data first, and decides once it has it (`voteStep`). */
export const joinStep = (place: Place): Step => ({
  title: `Add ${place.server} to the kafka cluster ${place.cluster}`,
  run: `${around(place)}
${BEGIN}
[ -z "$PLACE" ] || exit 0
id=
for _ in $(seq 20); do
  if id=$(administer "$HOW" identity "\${OTHERS[@]}"); then break; fi
  id=
  sleep 2
done
if ! [[ $id =~ ^[A-Za-z0-9_][A-Za-z0-9_-]{21}$ ]]; then
  echo 'no other member answers that a majority agrees with'
  exit 1
fi
begin "$id" --no-initial-controllers member`,
  undo: UNDO_BEGIN,
});

/**
 * Lets a member that has the data decide, too. A former one of its name loses its vote at this moment: until then the
 * quorum stays as it was.
 */
export const voteStep = (place: Place): Step => ({
  title: `Give ${place.server} its vote in the kafka cluster ${place.cluster}`,
  run: `${around(place)}
if [ -z "$PLACE" ]; then echo 'it has no data'; exit 1; fi
administer "$HOW" vote "$AT" "$NODE" "$PLACE" ${quote(joinPort(place.peers.told, place.config.controllerPort))}
${AS_USER} 'rm -f -- "$1"' bash ${JOIN_MARK})`,
  undo: `${around(place)}
[ -n "$PLACE" ] || exit 0
administer "$HOW" unvote "$NODE" "$PLACE" "$AT" "\${OTHERS[@]}"
${AS_USER} 'touch "$1"' bash ${JOIN_MARK})`,
  keepsServing: true,
});

/** Looks once more before a restart whether the others can do without a member: who is behind may have changed. */
export const spareStep = (place: Place): Step => ({
  title: `Check that the kafka cluster ${place.cluster} can spare ${place.server}`,
  run: `systemctl is-active -q kafka || exit 0
${around(place)}
administer "$HOW" spare "$NODE" "$AT" "\${OTHERS[@]}"`,
  undo: ':',
  keepsServing: true,
});

/** Waits until a member has all of its data: only then the next one may be worked on. */
export const readyStep = (place: Place): Step => ({
  title: `Wait until ${place.server} has its data in the kafka cluster ${place.cluster}`,
  run: `${around(place)}
administer "$HOW" ready "$AT" "$NODE" ${copiesIn(place.others.length + 1).least} "\${OTHERS[@]}"`,
  undo: ':',
  keepsServing: true,
});

/** Notes that the data of a former single server is that of a cluster: it serves as no single one any more. */
export const noteStep = ({ cluster }: Place): Step => ({
  title: `Note that the data of kafka is that of the cluster ${cluster}`,
  run: `${AS_USER} 'touch "$1"' bash ${CLUSTER_MARK})`,
  undo: `${AS_USER} 'rm -f -- "$1"' bash ${CLUSTER_MARK})`,
  keepsServing: true,
});

/** Keeps data that has no vote any more beside the new one. It asks the others once more. */
export const keepDataStep = (place: Place, { cluster, directory }: FoundData): Step => {
  const kept = `/var/lib/kafka/former-${cluster}-${directory}`;
  return {
    title: `Keep the former data of kafka, which is not of the cluster ${place.cluster}, as ${kept}`,
    run: `${around(place)}
[ "$PLACE" = ${quote(directory)} ] || exit 0
said=$(administer "$HOW" voters "$PLACE" "\${OTHERS[@]}")
if [ "$said" != gone ]; then echo 'a majority knows it as a member: apply again'; exit 1; fi
systemctl stop kafka
${AS_USER} 'set -eu
mv -T --backup=numbered "$1" "$2"
rm -f -- "$3"' bash ${DATA} ${quote(kept)} ${JOIN_MARK})`,
    undo: `${AS_USER} 'set -eu
if [ ! -e "$1" ] && [ -e "$2" ]; then mv -T "$2" "$1"; fi' bash ${DATA} ${quote(kept)})`,
  };
};

/** Refuses to lose data that only a member has whose machine is replaced. It runs on another one, before that. */
export const copiesStep = ({ config, cluster }: Pick<Place, 'config' | 'cluster'>, leaving: string): Step => ({
  title: `Check that others in the kafka cluster ${cluster} have the data of ${leaving}`,
  run: `${around({ config, server: leaving, others: [] })}
administer "$HOW" copied "$AT" "$NODE"`,
  irreversible: true,
});

/** Moves the data of a member to others and takes it out, on another one. It may have gone for good. */
export const leaveStep = ({ config, cluster }: Pick<Place, 'config' | 'cluster'>, leaving: string): Step => ({
  title: `Remove ${leaving} from the kafka cluster ${cluster}`,
  run: `${around({ config, server: leaving, others: [] })}
administer "$HOW" remove "$AT" "$NODE"`,
  irreversible: true,
});
