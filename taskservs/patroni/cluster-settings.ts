import { isIpv6 } from '../../sdk/index.js';
import { archiveParameters } from './backups.js';
import { type PatroniConfig, REPLICATOR, SUPERUSER } from './patroni-config.js';

/** What tells the version of Patroni: that of its package, if it is installed, and the release that it will come from. */
export interface PatroniFrom {
  patroni?: string | undefined;
  release?: string | undefined;
}

/** Seconds below which Patroni 4 raises the ttl by itself. Debian 12 has Patroni 3, Debian 13 has Patroni 4, with PostgreSQL 17. */
function leastTtl(version: string, { patroni, release }: PatroniFrom): number {
  const isLater = release === undefined ? Number(version) >= 17 : release !== 'debian-12';
  return (patroni === undefined ? isLater : Number.parseInt(patroni, 10) >= 4) ? 20 : 0;
}

/** A value as JSON has it, by which Patroni keeps its settings in etcd. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * Settings of the whole cluster. Patroni keeps them in etcd, and all members follow them.
 *
 * @param alone whether the definition has no other member: a commit must not wait for one then
 * @param more `closed`: only members may log in
 */
export function clusterSettings(
  config: PatroniConfig,
  version: string,
  alone: boolean,
  { closed = false, ...from }: { closed?: boolean } & PatroniFrom = {},
): { [key: string]: Json } {
  const { ttl, loopWait, retryTimeout, maximumLag, synchronous, settings, backups, cluster } = config;
  const lead = Math.max(ttl, leastTtl(version, from));
  return {
    ttl: lead,
    loop_wait: loopWait,
    retry_timeout: retryTimeout,
    maximum_lag_on_failover: maximumLag,
    // A server that takes longer to recover than another one to take over is not waited for.
    primary_start_timeout: lead,
    synchronous_mode: synchronous !== 'off',
    synchronous_mode_strict: synchronous === 'strict' && !alone,
    postgresql: {
      use_pg_rewind: true,
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      use_slots: true,
      parameters: {
        password_encryption: 'scram-sha-256',
        wal_log_hints: 'on',
        // A follower turns to a new leader after this time, by default 5 s. Until then a strict leader accepts no commit.
        wal_retrieve_retry_interval: '500ms',
        ...archiveParameters(backups, cluster),
        ...settings,
      },
      pg_hba: listRules(config, closed),
    },
  };
}

/** Lines of pg_hba.conf. Members alone log in as the roles of Patroni. With `closed` no other role logs in. */
function listRules({ members, allow, tls }: PatroniConfig, closed: boolean): string[] {
  const own = ['127.0.0.1/32', '::1/128'];
  const row = (type: string, databases: string, roles: string, network: string, method = 'scram-sha-256') =>
    `${type} ${databases} ${roles} ${network} ${method}`;
  const inside = [...own, ...members.map(withPrefix)];
  const outside = tls?.required ? 'hostssl' : 'host';
  return [
    closed ? `local all ${SUPERUSER} peer` : 'local all all peer',
    ...inside.map((network) => row('host', 'replication', REPLICATOR, network)),
    ...inside.map((network) => row('host', 'all', `${SUPERUSER},${REPLICATOR}`, network)),
    row('host', 'all,replication', `${SUPERUSER},${REPLICATOR}`, 'all', 'reject'),
    ...(closed ? [] : own.map((network) => row('host', 'all', 'all', network))),
    ...(closed ? [] : [...new Set(allow.map(withPrefix))].map((network) => row(outside, 'all', 'all', network))),
  ];
}

/** pg_hba.conf wants a prefix length with every address. */
const withPrefix = (network: string) => (network.includes('/') ? network : `${network}/${isIpv6(network) ? 128 : 32}`);

/** Reports whether two values are the same, in whatever order their keys stand. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameJson((one as Json[])[key as never], (other as Json[])[key as never]))
  );
}
