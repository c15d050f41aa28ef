import { askAt, type ListenAddress, literalAddressesOf, MANAGED_FILE_HEADER, quote } from '../../sdk/index.js';
import type { MariadbConfig } from './mariadb-config.js';
import { DATA, PEER_TLS, RUN, START } from './mariadb-places.js';

/**
 * Settings of a member of a cluster. The others are in a file of their own (`writeMembersConf`): a running member knows them, so
 * another list needs no restart.
 *
 * The transfer of all data runs as the user of MariaDB, whom the server knows by its socket: there is no password.
 *
 * @param peers address on which it listens for other members
 */
export function listClusterSettings(config: MariadbConfig, server: string, peers: ListenAddress): Record<string, string | number> {
  const { cluster, clusterPort, incrementalPort, transferPort } = config;
  // Galera binds the sockets with which it reaches others to that address, too, and fails with a name (EINVAL).
  const listen = literalAddressesOf(peers) === undefined ? '0.0.0.0' : askAt(peers);
  const provider = {
    'gmcast.listen_addr': `ssl://${listen}:${clusterPort}`,
    'ist.recv_addr': `${server}:${incrementalPort}`,
    'ist.recv_bind': `${listen}:${incrementalPort}`,
    'socket.ssl': 'yes',
    'socket.ssl_cert': PEER_TLS.certificate,
    'socket.ssl_key': PEER_TLS.key,
    'socket.ssl_ca': PEER_TLS.authority,
  };
  return {
    wsrep_on: 'ON',
    wsrep_provider: '/usr/lib/galera/libgalera_smm.so',
    wsrep_cluster_name: cluster ?? '',
    wsrep_node_name: server,
    wsrep_node_address: `${server}:${clusterPort}`,
    wsrep_sst_method: 'mariabackup',
    wsrep_sst_auth: 'mysql:',
    wsrep_sst_receive_address: `${server}:${transferPort}`,
    wsrep_provider_options: `"${Object.entries(provider)
      .map(([name, value]) => `${name}=${value}`)
      .join(';')}"`,
    binlog_format: 'ROW',
    default_storage_engine: 'InnoDB',
    innodb_autoinc_lock_mode: 2,
  };
}

/** The section for the transfer of all data: both ends show a certificate of the members' authority. */
export const TRANSFER_SECTION = `
[sst]
encrypt = 3
tkey = ${PEER_TLS.key}
tcert = ${PEER_TLS.certificate}
tca = ${PEER_TLS.authority}
ssl-mode = VERIFY_CA
`;

/**
 * The content of the file with the members. It is read at a start.
 *
 * @param members addresses of all members
 */
export const writeMembersConf = ({ clusterPort }: MariadbConfig, members: readonly string[]): string =>
  `${MANAGED_FILE_HEADER}
[mariadbd]
wsrep_cluster_address = gcomm://${members.map((member) => `${member}:${clusterPort}`).join(',')}
`;

/** A member comes back by itself, as long as it takes: all of them may have been without power. */
export const CLUSTER_DROP_IN = `${MANAGED_FILE_HEADER}
[Service]
ExecStartPre=+${START}
EnvironmentFile=-${RUN}/environment
Restart=on-failure
RestartSec=10s
`;

/** Folders of a server without any database. */
const OWN_FOLDERS = ['mysql', 'performance_schema', 'sys', 'lost+found'];

/**
 * Bash, for the user of MariaDB, that prints the lines of the member's state, `databases` if the data has any, and
 * `partial` if a transfer of all data was cut off. It fails if they cannot be read: that is not a member without data.
 */
const READ_STATE = `set -euo pipefail
cd ${DATA}
there() {
  local why
  why=$(LC_ALL=C stat -- "$1" 2>&1) && return
  case "$why" in *'No such file or directory') return 1 ;; *) exit 1 ;; esac
}
if there grastate.dat; then sed -n '/^\\(uuid\\|seqno\\|safe_to_bootstrap\\): /p' grastate.dat; fi
if there sst_in_progress; then echo partial; fi
all=$(find . -mindepth 1 -maxdepth 1 -type d ${OWN_FOLDERS.map((name) => `! -name ${name}`).join(' ')} ! -name '.*' ! -name '#*')
[ -z "$all" ] || echo databases`;

/** Bash that defines `state`, which prints what the data of this host says. */
export const DEFINES_STATE = `state() {
  if [ -e ${DATA} ]; then (cd / && runuser -u mysql -- bash -c ${quote(READ_STATE)}); fi
}`;

/** Seconds for which a member that was told to found its cluster may do so. */
const FOUND_SECONDS = 600;

/**
 * Lets a member found its cluster only if a step told it so right before, if its data allows that, and if no other member
 * answers at this moment. Else it joins. It never joins with databases of a server of its own: it would lose them.
 */
export const START_PROGRAM = `#!/bin/bash
${MANAGED_FILE_HEADER}
set -euo pipefail
${DEFINES_STATE}
refuse() { echo "$1" >&2; exit 1; }
rm -f ${RUN}/environment
told=$(state) || refuse 'the data cannot be read'
has_data=no
if grep -q '^uuid: ' <<<"$told" && ! grep -q '^uuid: *00000000-0000-0000-0000-000000000000' <<<"$told"; then has_data=yes; fi
if [ -e ${RUN}/found ]; then
  others=$(cat ${RUN}/found)
  since=$(stat -c %Y ${RUN}/found)
  rm -f ${RUN}/found
  now=$(date +%s)
  if [ $((now - since)) -lt ${FOUND_SECONDS} ]; then
    if [ $has_data = yes ] && ! grep -q '^safe_to_bootstrap: *1' <<<"$told"; then
      refuse 'this member has data of the cluster and was not the last one that served: it does not found it again'
    fi
    for each in $others; do
      if timeout 3 bash -c '>"/dev/tcp/\${1%:*}/\${1##*:}"' bash "$each" 2>/dev/null; then
        refuse "a member of the cluster answers at $each: it has been founded in the meantime, apply again"
      fi
    done
    echo "_WSREP_NEW_CLUSTER='--wsrep-new-cluster'" >${RUN}/environment
    exit 0
  fi
fi
# As galera_new_cluster does it, by a person.
[ ! -e /run/mariadb-wsrep-new-cluster ] || exit 0
if [ $has_data = no ] && grep -q '^databases' <<<"$told" && ! grep -q '^partial' <<<"$told"; then
  refuse 'this server has databases of its own, which it would lose if it joined the cluster: apply by the platform keeps them'
fi
`;
