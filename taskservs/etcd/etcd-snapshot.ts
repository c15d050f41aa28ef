import { MANAGED_FILE_HEADER, quote } from '../../sdk/index.js';
import { DATA, definesCtl, peerUrl } from './etcd-ask.js';
import type { EtcdConfig } from './etcd-defaults.js';

/** A program for administrators and for backups. */
export const SNAPSHOT = '/usr/local/sbin/provisioning-etcd-snapshot';

/**
 * Saves a snapshot, or begins a new cluster from one. A restored cluster has another identity than the former one, so
 * that former members cannot mix with it: they join it as new ones.
 */
export const snapshotProgram = (config: EtcdConfig, server: string): string => `#!/bin/bash
${MANAGED_FILE_HEADER}
set -euo pipefail
umask 077
${definesCtl(config)}
usage() { echo "usage: \${0##*/} save FILE | restore FILE" >&2; exit 2; }
[ $# -eq 2 ] || usage
case "$1" in
save)
  own snapshot save "$2.part"
  ctl snapshot status "$2.part" >/dev/null
  mv "$2.part" "$2"
  ;;
restore)
  if systemctl is-active -q etcd; then
    echo 'etcd runs here: stop it on all members, so that none takes writes: systemctl stop etcd' >&2
    exit 1
  fi
  ctl snapshot status "$2" >/dev/null
  now=$(date +%Y%m%d%H%M%S)
  new=/var/lib/etcd/restored-$now
  install -d -m 0700 -o etcd -g etcd /run/provisioning-etcd-restore
  trap 'rm -rf /run/provisioning-etcd-restore' EXIT
  install -m 0600 -o etcd -g etcd "$2" /run/provisioning-etcd-restore/snapshot
  tool=etcdctl
  ! command -v etcdutl >/dev/null || tool=etcdutl
  ETCDCTL_API=3 runuser -u etcd -- "$tool" snapshot restore /run/provisioning-etcd-restore/snapshot --data-dir="$new" \\
    --name=${quote(server)} --initial-cluster=${quote(`${server}=${peerUrl(server, config)}`)} \\
    --initial-advertise-peer-urls=${quote(peerUrl(server, config))} --initial-cluster-token="restored-$now"
  if runuser -u etcd -- test -e ${DATA}; then
    runuser -u etcd -- mv -T ${DATA} "/var/lib/etcd/before-restore-$now"
    echo "the former data is kept as /var/lib/etcd/before-restore-$now"
  fi
  runuser -u etcd -- mv -T "$new" ${DATA}
  systemctl start etcd
  ;;
*) usage ;;
esac
`;
