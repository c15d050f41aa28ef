import { hostPart, reachedAt } from '../host/listening.js';
import type { HostContext, Peer } from './taskserv.js';

interface Around {
  host: HostContext;
  peers: readonly Peer[];
}

/** Names of the own server in what a user writes. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[?::1\]?)$/;

/**
 * The address at which a host reaches what a user wrote an address and a port of. The own server, by its name or as
 * loopback, is reached where the endpoint of the definition that has the port listens: that need not be loopback, and the
 * own name need not resolve. All else stays as it is written.
 *
 * @param address a name or an address; IPv6 with brackets or without
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

/** The same for a URL of HTTP. One whose address stays is the same text, and so is what is no URL. */
export function urlAsWritten(url: string, around: Around): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port } = new URL(url);
  const reached = resolveWrittenAddress(hostname, Number(port) || (PORTS[protocol] ?? 0), around);
  return reached === hostname
    ? url
    : url.replace(/^(https?:\/\/)(\[[^\]]*\]|[^:/?#]*)/i, (_, scheme: string) => `${scheme}${hostPart(reached)}`);
}
