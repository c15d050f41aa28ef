import { quote, type Step } from '../../sdk/index.js';
import { DEFINES_STATUS, DEFINES_TRANSFERS } from './mariadb-ask.js';
import { DATA, MARIADB, RUN } from './mariadb-places.js';

/** A member, and those that it asks. */
export interface Place {
  /** The name of the cluster. */
  cluster: string;
  clusterPort: number;
  /** Name of the member's server. */
  server: string;
  /** Addresses of all other members. */
  others: readonly string[];
}

/** Bash that defines `get NAME`, which prints a value of what the member of this host says, or nothing. */
const DEFINES_GET = `${DEFINES_STATUS}
get() { sed -n "s/^wsrep_$1\\t//p" <<<"$said"; }`;

/**
 * Tells the next start that it may found the cluster. It looks itself whether another member answers by then (`START_PROGRAM`):
 * two clusters of one name would both take writes. What it was told ends with that start, or with the host.
 *
 * @param waiting addresses of members that are known to be in no cluster and to look for one: they join this one
 * @param isNew its data is of no cluster yet: after a roll-back it is that again
 */
export const createFounding = ({ cluster, clusterPort, ...place }: Place, waiting: readonly string[], isNew: boolean): Step => ({
  title: `Found the mariadb cluster ${cluster}`,
  run: `active=$(systemctl is-active mariadb) || true
if [ "$active" != active ]; then systemctl stop mariadb; fi
mkdir -p ${RUN}
printf '%s\\n' ${
    place.others
      .filter((other) => !waiting.includes(other))
      .map((other) => quote(`${other}:${clusterPort}`))
      .join(' ') || "''"
  } >${RUN}/found.new
mv -fT ${RUN}/found.new ${RUN}/found`,
  undo: `rm -f ${RUN}/found${
    isNew
      ? `
systemctl stop mariadb
cd / && runuser -u mysql -- rm -f -- ${DATA}/grastate.dat ${DATA}/gvwstate.dat`
      : ''
  }`,
  keepsServing: true,
});

/** Lets a restart happen only while another member serves: the last one would not find its cluster again. */
export const createGuard = ({ cluster, server }: Place): Step => ({
  title: `Check that the mariadb cluster ${cluster} serves without ${server}`,
  run: `${DEFINES_GET}
systemctl is-active -q mariadb || exit 0
said=$(status)
cluster=$(get cluster_status)
[ "$cluster" = Primary ] || exit 0
size=$(get cluster_size)
if [ "$size" -lt 2 ]; then
  echo 'no other member serves: bring another one back first'
  exit 1
fi`,
  undo: ':',
  keepsServing: true,
});

/** Seconds until a member has the data. Less than the hour that the platform waits for a step. */
const SYNC_SECONDS = 45 * 60;

/** Seconds in which a member has to find the others. */
const ANSWER_SECONDS = 120;

/** Waits until a majority agrees with a member and it has all writes: only then the next one may be worked on. */
export const waitStep = ({ cluster, server }: Place): Step => ({
  title: `Wait until ${server} serves in the mariadb cluster ${cluster}`,
  run: `${DEFINES_GET}
${DEFINES_TRANSFERS}
said= now= cluster= end=$((SECONDS + ${SYNC_SECONDS})) last=$((SECONDS + ${ANSWER_SECONDS}))
while [ $SECONDS -lt $end ] && [ $SECONDS -lt $last ]; do
  active=$(systemctl is-active mariadb || true)
  said=$(status 2>/dev/null) || said=
  now=$(get local_state_comment)
  cluster=$(get cluster_status)
  ready=$(get ready)
  if [ "$cluster/$ready/$now" = Primary/ON/Synced ]; then exit 0; fi
  # It gets the data.
  case "$now" in Join* | Donor*) last=$((SECONDS + ${ANSWER_SECONDS})) ;; esac
  if transfers; then last=$((SECONDS + ${ANSWER_SECONDS})); fi
  case "$active" in failed | inactive) break ;; esac
  sleep 1
done
echo "mariadb is $active, its cluster $cluster, itself \${now:-without an answer}"
exit 1`,
  undo: ':',
  keepsServing: true,
});

/** Starts a member again that was taken out of the cluster and runs on without it. */
export const returnStep = ({ cluster, server }: Place): Step => ({
  title: `Let ${server} join the mariadb cluster ${cluster} again`,
  run: 'systemctl restart mariadb',
  undo: ':',
});

/** Moves the data aside in the folder that has it, and makes an empty one. A mount point cannot be moved: it fails then. */
const moveAside = (to: string, how: string): string => `systemctl stop mariadb
if [ ! -e ${DATA} ]; then :
elif mountpoint -q ${DATA}; then
  echo '${DATA} is a file system of its own: move what is in it away by hand, then apply again'
  exit 1
else
  ${how}
  mv -T --backup=numbered ${DATA} ${to}
fi
install -d -o mysql -g mysql -m 0755 ${DATA}`;

/** Folder of data that was not of this cluster. */
const FORMER = '/var/lib/mysql-former';

/** The inode of the folder that was moved there last. */
const MOVED = `${FORMER}.moved`;

/** Ends mariadb. After a roll-back it runs again if it ran, with its former files. */
export const stopStep: Step = { title: 'Stop mariadb', service: { name: 'mariadb', state: 'stopped', enabled: true } };

/**
 * Keeps data that is not of this cluster beside the new one. The member gets all data of the others.
 *
 * @param runsOn no start with other files follows: after a roll-back it starts at once
 */
export const keepDataStep = (cluster: string, runsOn: boolean): Step => ({
  title: `Keep the former data of mariadb, which is not of the cluster ${cluster}, as ${FORMER}`,
  run: `inside=$(find ${DATA} -mindepth 1 -maxdepth 1 -print -quit 2>/dev/null) || true
# What was moved at an earlier time is not this data.
if [ -n "$inside" ]; then rm -f ${MOVED}; fi
systemctl stop mariadb
if [ ! -e ${MOVED} ]; then
  ${moveAside(FORMER, `stat -c %i ${DATA} >${MOVED}`).replaceAll('\n', '\n  ')}
fi
install -d -o mysql -g mysql -m 0755 ${DATA}`,
  undo: `systemctl stop mariadb
if [ -e ${MOVED} ] && [ -e ${FORMER} ]; then
  was=$(cat ${MOVED})
  now=$(stat -c %i ${FORMER})
  if [ "$now" = "$was" ]; then
    if [ -e ${DATA} ] && ! rmdir ${DATA} 2>/dev/null; then mv -T --backup=numbered ${DATA} ${DATA}-of-cluster; fi
    mv -T ${FORMER} ${DATA}
  fi
fi
rm -f ${MOVED}${runsOn ? '\nsystemctl start mariadb' : ''}`,
});

/** What a transfer left that was cut off: MariaDB does not start with it. Only the last one is kept. */
export const clearPartialStep = (cluster: string): Step => ({
  title: `Move the incomplete copy of the mariadb cluster ${cluster} to ${DATA}-incomplete`,
  run: moveAside(`${DATA}-incomplete`, `rm -rf --one-file-system -- ${DATA}-incomplete`),
  irreversible: true,
});

/**
 * Takes a member out, on another one. A lost one is out already. One that runs goes in order then: without this, two members
 * of which one goes would be one of two, and that one could not decide.
 */
export const leaveStep = (cluster: string, leaving: string): Step => ({
  title: `Remove ${leaving} from the mariadb cluster ${cluster}`,
  run: `${DEFINES_GET}
listed() { timeout 10 ${MARIADB} -e ${quote(
    `SELECT node_uuid FROM mysql.wsrep_cluster_members WHERE node_name = '${leaving}' AND node_name <> @@wsrep_node_name`,
  )}; }
said=
for _ in $(seq 60); do
  said=$(status)
  cluster=$(get cluster_status)
  if [ "$cluster" != Primary ]; then echo 'no majority agrees with this member'; exit 1; fi
  found=$(listed)
  [ -n "$found" ] || exit 0
  for each in $found; do
    case "$each" in *[!0-9a-f-]*) echo 'the list of members has another form'; exit 1 ;; esac
    timeout 10 ${MARIADB} -e "SET GLOBAL wsrep_provider_options = 'evs.evict=$each'"
  done
  sleep 1
done
echo ${quote(`${leaving} is still among the members`)}
exit 1`,
  irreversible: true,
});
