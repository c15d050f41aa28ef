import { hostPart, reachedAt } from '../host/listening.js';
import type { HostContext, Peer } from './taskserv.js';

interface Around {
  host: HostContext;
  peers: readonly Peer[];
}

/** Names of the own server in what a user writes. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[?::1\]?)$/;

/**
 * Returns the address at which a host reaches an address and port that a user wrote. For the own server, by name or as
 * loopback, it is the listen address of the endpoint with that port: that need not be loopback, and the own name need
 * not resolve. Other addresses stay.
 *
 * @param address a name or an address; IPv6 with or without brackets
 * @returns as `reachedAt` does, or as it was written
 */
export function resolveWrittenAddress(address: string, port: number, { host, peers }: Around): string {
  if (address !== host.name && !LOOPBACK.test(address)) return address;
  const own = peers
    .filter(({ server }) => server === host.name)
    .flatMap((peer) => peer.endpoints.map((endpoint) => ({ peer, endpoint })));
  const found = own.find(({ endpoint }) => endpoint.port === port && endpoint.protocol !== 'udp');
  return found ? reachedAt({ ...found.peer, endpoint: found.endpoint }, host) : address;
}

const PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** The same for an HTTP URL. If the address stays, the text stays, also if it is no URL. */
export function urlAsWritten(url: string, around: Around): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port } = new URL(url);
  const reached = resolveWrittenAddress(hostname, Number(port) || (PORTS[protocol] ?? 0), around);
  return reached === hostname
    ? url
    : url.replace(/^(https?:\/\/)(\[[^\]]*\]|[^:/?#]*)/i, (_, scheme: string) => `${scheme}${hostPart(reached)}`);
}
