import { type CommandOutput, fact, sh, unreachableError } from '../../sdk/index.js';
import type { Json } from './cluster-settings.js';
import { API_TLS, CONF, locatePrograms, SETPRIV_POSTGRES } from './places.js';

/** A member of the cluster as Patroni lists it. */
export interface ListedMember {
  name: string;
  leads: boolean;
  /** `running`, `streaming`, `stopped`, … */
  state: string;
  /** It confirms commits. */
  synchronous?: true;
  /** Bytes of WAL that it lacks. Absent: not known, or it leads. */
  lag?: number;
}

/** A member, by what its Patroni answers and what its host has. */
export interface FoundMember {
  /** Cluster of the written configuration. */
  scope?: string;
  /** Its name in the written configuration. */
  name?: string;
  /** Version of PostgreSQL in the written configuration. */
  version?: string;
  /** Place of the cluster's state in etcd, in the written configuration. */
  namespace?: string;
  /** Versions of PostgreSQL with data of Patroni. */
  data: string[];
  /** The other parts come from Patroni's REST API: it answers. */
  answers: boolean;
  /** Identifies the data of the whole cluster. */
  system?: string;
  state?: string;
  primary?: boolean;
  timeline?: number;
  /** A setting takes effect only by a restart. */
  pendingRestart?: boolean;
  /** The installed programs are newer than those that run. */
  newerInstalled?: boolean;
  members: ListedMember[];
  /** Settings of the cluster in etcd. */
  settings?: Json;
}

const NOTHING: FoundMember = { data: [], answers: false, members: [] };

/**
 * Asks the REST API at the address that the written configuration names. Its own client would take half a second of a
 * processor. What is not there is empty, but a configuration or data that cannot be read fails: a step would take it for
 * none.
 */
const scriptOf = (version: string): string => `conf=${CONF}
there() {
  local why
  why=$(LC_ALL=C stat -- "$1" 2>&1) && return
  case "$why" in *'No such file or directory') return 1 ;; *) exit 1 ;; esac
}
if there "$conf"; then sed -n 's/^scope: "\\(.*\\)"$/scope|\\1/p; s/^name: "\\(.*\\)"$/name|\\1/p; s/^namespace: "\\(.*\\)"$/namespace|\\1/p; s/^  data_dir: "\\/var\\/lib\\/postgresql\\/\\([0-9]*\\)\\/patroni"$/version|\\1/p' "$conf" || exit 1; fi
for data in /var/lib/postgresql/*/patroni; do
  if there "$data/PG_VERSION"; then version=\${data%/patroni}; echo "data|\${version##*/}"; fi
done
installed=$(${sh`${`${locatePrograms(version)}/postgres`}`} --version 2>/dev/null) && echo "installed|$installed"
[ -e "$conf" ] || exit 0
at=$(sed -n '/^restapi:/,/^etcd3:/s/^  listen: "\\(.*\\)"$/\\1/p' "$conf")
host=\${at%:*} host=\${host#[} host=\${host%]} port=\${at##*:}
[ "$host" != 0.0.0.0 ] || host=127.0.0.1
body() { sed '1,/^\\r*$/d' | tr -d '\\n' | sed "s/^/$1|/"; echo; }
ask() {
  if grep -q '^  certfile: "${API_TLS.certificate}"' "$conf"; then
    printf 'GET /%s HTTP/1.0\\r\\n\\r\\n' "$1" | timeout 5 openssl s_client -quiet -verify_quiet -verify_return_error -CAfile ${API_TLS.authority} -connect "$host:$port" 2>/dev/null | body "$1" || true
    return 0
  fi
  { exec 3<>"/dev/tcp/$host/$port"; } 2>/dev/null || return 0
  printf 'GET /%s HTTP/1.0\\r\\n\\r\\n' "$1" >&3
  timeout 5 cat <&3 | body "$1"
  exec 3>&-
}
ask patroni; ask cluster; ask config
true`;

/** Whether a member runs with an older major version than it is to have. */
export const isUpgrade = (member: FoundMember | undefined, wanted: string): boolean =>
  member?.version !== undefined && Number(member.version) < Number(wanted);

/** What is known of a member, whether it runs or not. */
export const memberFact = (version: string) => fact<FoundMember>(scriptOf(version), readMember, NOTHING);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for what is no object in JSON: an error page, or nothing. */
function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const oneLine = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 200 ? value.replace(/[^ -~]/g, '?') : undefined;

const VERSION = /^[0-9]{1,3}$/;
const NAMESPACE = /^\/patroni\/([0-9]{1,3}\/)?$/;

/** @throws unreachableError if the host could not read it: that is not a member without data */
export function readMember({ stdout, exit }: CommandOutput): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      code: 'look-broken',
      what: 'read the member of patroni',
      why: `its data could not be read (status ${exit})`,
    });
  const rows = stdout.split('\n').map((line): [string, string] => {
    const at = line.indexOf('|');
    return [line.slice(0, Math.max(at, 0)), line.slice(at + 1)];
  });
  const of = (kind: string) => rows.flatMap(([name, value]) => (name === kind ? [value] : []));
  const member = parseObject(of('patroni')[0]);
  const settings = parseObject(of('config')[0]);
  const [scope] = of('scope');
  const [name] = of('name');
  const version = of('version').find((one) => VERSION.test(one));
  const namespace = of('namespace').find((one) => NAMESPACE.test(one));
  const host = {
    ...(scope && { scope }),
    ...(name && { name }),
    ...(version && { version }),
    ...(namespace && { namespace }),
    data: of('data').filter((one) => VERSION.test(one)),
  };
  if (!member) return { ...NOTHING, ...host };
  const system = /^[0-9]{1,20}$/.exec(String(member.database_system_identifier))?.[0];
  const state = oneLine(member.state);
  return {
    ...host,
    answers: true,
    ...(system && { system }),
    ...(state && { state }),
    // The same role has another name since Patroni 4.
    primary: member.role === 'master' || member.role === 'primary',
    ...(typeof member.timeline === 'number' && { timeline: member.timeline }),
    ...(member.pending_restart === true && { pendingRestart: true }),
    ...(isNewer(of('installed')[0], member.server_version) && { newerInstalled: true }),
    members: listMembers(parseObject(of('cluster')[0])),
    ...(settings && { settings: settings as Json }),
  };
}

function listMembers(cluster: Record<string, unknown> | undefined): ListedMember[] {
  if (!Array.isArray(cluster?.members)) return [];
  return cluster.members.flatMap((one: unknown): ListedMember[] => {
    const name = isRecord(one) && oneLine(one.name);
    if (!name) return [];
    return [
      {
        ...{ name, leads: one.role === 'leader', state: oneLine(one.state) ?? 'unknown' },
        ...(one.role === 'sync_standby' && { synchronous: true as const }),
        ...(typeof one.lag === 'number' && Number.isSafeInteger(one.lag) && { lag: one.lag }),
      },
    ];
  });
}

/** @param installed as `postgres --version` tells it; `running` is 150014 for 15.14 */
function isNewer(installed: string | undefined, running: unknown): boolean {
  const [, major, minor] = /\) ([0-9]+)\.([0-9]+)/.exec(installed ?? '') ?? [];
  return typeof running === 'number' && major !== undefined && Number(major) * 10_000 + Number(minor) > running;
}

/**
 * Tells this data from other data: all members of a cluster have the same. Data that was upgraded to another major version
 * has another identifier, and keeps the former one in a file.
 */
export const identityFact = fact<string>(
  `for data in /var/lib/postgresql/*/patroni; do
  version=\${data%/patroni}; version=\${version##*/}
  case "$version" in *[!0-9]*) continue ;; esac
  ${SETPRIV_POSTGRES} cat "$data/provisioning.identity" 2>/dev/null && continue
  LC_ALL=C timeout 5 ${SETPRIV_POSTGRES} "/usr/lib/postgresql/$version/bin/pg_controldata" "$data" 2>/dev/null | sed -n 's/^Database system identifier: *//p'
done`,
  ({ stdout }) => /^[0-9]{1,20}$/m.exec(stdout)?.[0] ?? '',
  '',
);
