import { askAt, hostPart, type ListenAddress, literalAddressesOf, MANAGED_FILE_HEADER } from '../../sdk/index.js';
import type { VaultConfig } from './vault-config.js';
import { DATA, TLS } from './vault-places.js';

/** A member of a cluster, for its configuration. */
export interface MemberEnds {
  cluster: string;
  /** Where it listens for clients, and for members. */
  clients: ListenAddress;
  peers: ListenAddress;
  /** Addresses of the other members that it asks to let it in. */
  others: readonly string[];
}

/** The address on which a member listens. One that is known by a name only listens on all. */
const boundAt = (listening: ListenAddress): string =>
  listening === 'loopback' ? '127.0.0.1' : hostPart(literalAddressesOf(listening)?.at(-1) ?? '0.0.0.0');

/** The line by which a host knows that its data is that of a cluster. */
export const CLUSTER_LINE = 'cluster_name = ';

const tail = `
telemetry {
  prometheus_retention_time = "24h"
  disable_hostname = true
}
`;

/** The configuration of a single server. */
export function singleHcl({ port, clusterPort, tls, ui }: VaultConfig, listening: ListenAddress, server: string): string {
  const host = listening === 'all' ? '0.0.0.0' : askAt(listening);
  const api = typeof listening === 'object' ? hostPart(listening.address) : '127.0.0.1';
  return `${MANAGED_FILE_HEADER}
ui = ${ui}
disable_mlock = true
api_addr = ${JSON.stringify(`${tls ? 'https' : 'http'}://${api}:${port}`)}
cluster_addr = "https://127.0.0.1:${clusterPort}"

storage "raft" {
  path = "${DATA}"
  node_id = ${JSON.stringify(server)}
}

listener "tcp" {
  address = ${JSON.stringify(`${host}:${port}`)}
  cluster_address = "127.0.0.1:${clusterPort}"
${tls ? `  tls_cert_file = "${TLS.certificate}"\n  tls_key_file = "${TLS.key}"` : '  tls_disable = true'}
}
${tail}`;
}

/** The members that a present configuration asks to let it in. */
export const readJoins = (content: string): string[] =>
  [...content.matchAll(/^ {4}leader_tls_servername = "([A-Za-z0-9.:-]+)"$/gm)].flatMap(([, name]) => name ?? []);

/** The configuration of a member. Its id is in its data, so that a new machine of its name has another one. */
export function memberHcl({ port, clusterPort, ui }: VaultConfig, server: string, ends: MemberEnds): string {
  const joins = ends.others.map(
    (other) => `  retry_join {
    leader_api_addr = ${JSON.stringify(`https://${hostPart(other)}:${port}`)}
    leader_ca_cert_file = "${TLS.authority}"
    leader_tls_servername = ${JSON.stringify(other)}
  }
`,
  );
  return `${MANAGED_FILE_HEADER}
ui = ${ui}
disable_mlock = true
${CLUSTER_LINE}${JSON.stringify(ends.cluster)}
api_addr = ${JSON.stringify(`https://${server}:${port}`)}
cluster_addr = ${JSON.stringify(`https://${server}:${clusterPort}`)}

storage "raft" {
  path = "${DATA}"
${joins.join('')}}

listener "tcp" {
  address = ${JSON.stringify(`${boundAt(ends.clients)}:${port}`)}
  cluster_address = ${JSON.stringify(`${boundAt(ends.peers)}:${clusterPort}`)}
  tls_cert_file = "${TLS.certificate}"
  tls_key_file = "${TLS.key}"
}
${tail}`;
}
