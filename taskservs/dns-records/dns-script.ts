import { MANAGED_FILE_HEADER, sh } from '../../sdk/index.js';
import type { DnsRecordsConfig } from './dns-records-config.js';

export const SCRIPT = '/usr/local/sbin/provisioning-dns';
export const KEY = '/etc/dns-records/key';
/** A file for each name that was set, so that those that are wanted no more are found. */
export const KNOWN = '/var/lib/dns-records';

/** The name of the record that says whose the records of a name are. */
export const markOf = (name: string): string => `_provisioning.${name}`;

/** The text of that record. */
export const ownerText = ({ owner }: Pick<DnsRecordsConfig, 'owner'>): string => `heritage=provisioning,owner=${owner}`;

export function serverOf({ server }: Pick<DnsRecordsConfig, 'server'>): { host: string; port: string } {
  const at = server.lastIndexOf(':');
  return { host: server.slice(0, at).replace(/^\[|\]$/g, ''), port: server.slice(at + 1) };
}

/**
 * Program that sets and removes records.
 *
 * Each update has a prerequisite (RFC 2136, 2.4): the record must have the platform's owner. The server itself refuses
 * to change a record of another owner, even if the record changed after the last look.
 */
export function dnsScript(config: DnsRecordsConfig): string {
  const { host, port } = serverOf(config);
  return `#!/bin/bash
${MANAGED_FILE_HEADER}
set -euo pipefail
umask 077
OWNER=${sh`${ownerText(config)}`}

ask() { dig +short +time=3 +tries=2 ${sh`-p ${port} ${`@${host}`}`} "$@"; }

# update LINES…
update() {
  local why
  if why=$({ printf '%s\\n' ${sh`${`server ${host} ${port}`} ${`zone ${config.zone}.`}`} "$@" send; } | nsupdate -t 10 -k ${KEY} 2>&1); then return; fi
  case "$why" in
  *YXRRSET* | *NXRRSET*) why="the name has records that are not ours ($OWNER)" ;;
  *) why=$(printf '%s' "$why" | tr -s '\\n\\t' '  ' | cut -c 1-500) ;;
  esac
  printf 'cannot %s the records of %s: %s\\n' "$verb" "$name" "$why" >&2
  return 1
}

verb="\${1-}" name="\${2-}" mark="_provisioning.\${2-}"
case "$verb" in
set)
  ttl="$3"
  shift 3
  lines=()
  for address in "$@"; do
    case "$address" in *:*) type=AAAA ;; *) type=A ;; esac
    lines+=("update add $name. $ttl $type $address")
  done
  if [ "$(ask "$mark" TXT)" = "\\"$OWNER\\"" ]; then
    update "prereq yxrrset $mark. TXT \\"$OWNER\\"" "update delete $name. A" "update delete $name. AAAA" "\${lines[@]}"
  else
    update "prereq nxrrset $mark. TXT" "prereq nxrrset $name. A" "prereq nxrrset $name. AAAA" "prereq nxrrset $name. CNAME" \\
      "\${lines[@]}" "update add $mark. $ttl TXT \\"$OWNER\\""
  fi
  install -d -m 0700 ${KNOWN}
  : >"${KNOWN}/$name"
  ;;
remove)
  # What is not there, or not ours any more, is left.
  if [ "$(ask "$mark" TXT)" = "\\"$OWNER\\"" ]; then
    update "prereq yxrrset $mark. TXT \\"$OWNER\\"" "update delete $name. A" "update delete $name. AAAA" "update delete $mark. TXT"
  fi
  rm -f "${KNOWN}/$name"
  ;;
*) echo 'say set NAME TTL ADDRESS…, or remove NAME' >&2; exit 2 ;;
esac
`;
}
