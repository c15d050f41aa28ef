import { inputError, listOffered, type Peer, type PlanContext, reachedAtPort } from '../../sdk/index.js';
import { type FoundMember, isUpgrade } from './member.js';
import type { PatroniConfig } from './patroni-config.js';

/** @throws inputError `bad-definition` where no etcd can be asked from here */
export function findEtcd({ peers, host }: PlanContext): string[] {
  const offered = listOffered(peers as Peer[], 'etcd');
  const asked = offered.filter(({ server, endpoint }) => server === host.name || !endpoint.local);
  if (asked.length > 0) return asked.map((one) => reachedAtPort(one, host));
  throw inputError({
    code: 'bad-definition',
    what: 'install patroni',
    on: host.name,
    why:
      offered.length > 0
        ? 'etcd accepts clients only on its own server, because it has no tls'
        : 'no server of the definition has etcd, which decides which member leads',
    hint:
      offered.length > 0
        ? 'give etcd `tls`, and patroni `etcdTls` with a certificate of the same authority'
        : 'add the taskserv etcd on three servers',
  });
}

/**
 * @throws inputError `bad-definition` where the host has a member of another cluster, or data of another version and no
 *   configuration that names it
 */
export function refuseOtherCluster({ cluster }: PatroniConfig, member: FoundMember, version: string, host: string): void {
  const { scope, data } = member;
  const refuse = (what: string, why: string, hint: string) => inputError({ code: 'bad-definition', what, on: host, why, hint });
  if (scope !== undefined && scope !== cluster)
    throw refuse(
      `make it a member of the cluster ${cluster}`,
      `it is a member of the cluster ${scope}, and its data belongs to that`,
      `write \`cluster: ${scope}\`, or use another server`,
    );
  if (member.version === version || isUpgrade(member, version)) return;
  const other = data.find((one) => one !== version);
  if (other !== undefined && !data.includes(version))
    throw refuse(
      `install patroni with PostgreSQL ${version}`,
      `its data has version ${other}, and no configuration of patroni names it`,
      `move /var/lib/postgresql/${other}/patroni away if it is not needed; else use another server, and restore a dump there`,
    );
}
