import { confinedService, type ListenAddress, literalAddressesOf, MANAGED_FILE_HEADER } from '../../sdk/index.js';
import type { ZookeeperConfig } from './zookeeper-config.js';
import { ADMIN, CLUSTER } from './zookeeper-places.js';

export const CONF = '/etc/zookeeper/zoo.cfg';
export const DATA = '/var/lib/zookeeper/data';

/** What prepares each start of a member of a cluster. */
export const START = '/etc/zookeeper/provisioning-start';

const MIB = 2 ** 20;

/** It listens on one address, or on all of them where the host is known by a name. */
export const pickAddress = (listening: ListenAddress): string | undefined => literalAddressesOf(listening)?.at(-1);

/**
 * The content of zoo.cfg. A member of a cluster does not name the others there: who they are is agreed on, and kept beside
 * its data.
 */
export function zooConf({ port, maxConnections, snapshots, cluster }: ZookeeperConfig, listening: ListenAddress): string {
  const clients = `clientPort=${port}\nclientPortAddress=${pickAddress(listening) ?? '0.0.0.0'}\n`;
  // Its own name need not resolve on a host: it listens for the others on all addresses, and its unit accepts only `allow`.
  const members = `initLimit=30
syncLimit=5
standaloneEnabled=false
reconfigEnabled=true
quorumListenOnAllIPs=true
4lw.commands.whitelist=srvr,mntr,conf
`;
  return `${MANAGED_FILE_HEADER}
tickTime=2000
dataDir=${DATA}
${cluster === undefined ? clients : ''}maxClientCnxns=${maxConnections}
autopurge.snapRetainCount=${snapshots}
autopurge.purgeInterval=24
admin.enableServer=false
${cluster === undefined ? '' : members}`;
}

/**
 * Gives a member the list of members as it last knew it, and an administrator's password that only root of this host
 * reads, until the next start. ZooKeeper gets its hash.
 */
export const START_PROGRAM = `#!/bin/bash
${MANAGED_FILE_HEADER}
set -euo pipefail
cd /
runuser -u zookeeper -- bash -c 'set -euo pipefail
umask 027
[ -e "$2/zoo.cfg" ] || { echo "this member belongs to no cluster yet" >&2; exit 1; }
list=$(sed -n "s/^dynamicConfigFile=//p" "$2/zoo.cfg")
{ cat "$1"; printf "dynamicConfigFile=%s\\n" "$list"; } >"$2/zoo.cfg.new"
mv -fT "$2/zoo.cfg.new" "$2/zoo.cfg"' bash ${CONF} ${CLUSTER}
umask 077
mkdir -p ${ADMIN}
head -c 32 /dev/urandom | base64 >${ADMIN}/password
python3 -c '
import base64, hashlib, sys
password = sys.stdin.read().strip()
print("ADMIN=super:" + base64.b64encode(hashlib.sha1(("super:" + password).encode()).digest()).decode())' \\
  <${ADMIN}/password >${ADMIN}/environment
`;

const JARS = ['zookeeper', 'slf4j-log4j12', 'log4j-1.2'].map((name) => `/usr/share/java/${name}.jar`);

/** Debian's own is a script of System V that lets the server listen wherever it likes and keeps no account of failures. */
export function zookeeperUnit({ allow, heap, cluster }: ZookeeperConfig, listening: ListenAddress): string {
  // The host itself comes from the address that it asks.
  const own = typeof listening === 'object' ? (literalAddressesOf(listening)?.slice(1) ?? []) : [];
  const clients = ['localhost', ...own, ...allow];
  const prepare = `ExecStartPre=+${START}\nEnvironmentFile=-${ADMIN}/environment\n`;
  const admin = ' -Dzookeeper.DigestAuthenticationProvider.superDigest=${ADMIN}';
  return `${MANAGED_FILE_HEADER}
[Unit]
Description=ZooKeeper
After=network.target

[Service]
User=zookeeper
Group=zookeeper
${cluster === undefined ? '' : prepare}ExecStart=/usr/bin/java -Xmx${Math.floor(heap / MIB)}m -cp ${['/etc/zookeeper/conf', ...JARS].join(':')} \\
  -Dzookeeper.root.logger=INFO,CONSOLE${cluster === undefined ? '' : admin} org.apache.zookeeper.server.quorum.QuorumPeerMain ${cluster === undefined ? CONF : `${CLUSTER}/zoo.cfg`}
# As Java ends when it is told to.
SuccessExitStatus=143
Restart=on-failure
StateDirectory=zookeeper
StateDirectoryMode=0750
${confinedService({ devices: true }).join('\n')}
IPAddressDeny=any
IPAddressAllow=${clients.join(' ')}

[Install]
WantedBy=multi-user.target
`;
}
