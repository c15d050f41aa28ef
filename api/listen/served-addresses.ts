import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { isLoopback, type ListenAddress } from './listen-address.js';

type Interfaces = NodeJS.Dict<Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[]>;

/** Bridges of containers: other machines seldom reach their addresses. */
const BRIDGE = /^(docker|br-|veth|virbr|podman|cni|flannel|lxc)/;
/** Addresses of a link need the name of an interface, so a browser cannot open them. */
const LINK_LOCAL = /^(fe[89ab][0-9a-f]:|169\.254\.)/i;

/** Returns `192.0.2.7` or `[2001:db8::7]`, in the form that URLs and `Host` headers have. */
export const formatHost = (host: string): string => (isIP(host) === 6 ? new URL(`http://[${host}]`).hostname : host.toLowerCase());

/** Returns the family if an address stands for all addresses of the machine: 4 for `0.0.0.0`, 6 for any form of `::`. */
export function readWildcard(host: string): 4 | 6 | undefined {
  const text = formatHost(host);
  if (text === '0.0.0.0' || text === '[::ffff:0:0]') return 4;
  return text === '[::]' ? 6 : undefined;
}

/**
 * Returns the hosts of URLs that lead to a server by its addresses: the most useful one first. A server on all addresses
 * has those of the machine's interfaces. `::` takes connections of IPv4, too.
 */
export function findServedAddresses({ host }: Pick<ListenAddress, 'host'>, interfaces: Interfaces = networkInterfaces()): string[] {
  const family = readWildcard(host);
  if (family === undefined) return [formatHost(host)];
  const all = Object.entries(interfaces)
    .flatMap(([name, addresses = []]) => addresses.map((one) => ({ ...one, isBridge: BRIDGE.test(name) })))
    .filter(({ address, internal, family: of }) => !internal && !LINK_LOCAL.test(address) && (family === 6 || of === 'IPv4'));
  const rank = (one: (typeof all)[number]) => (one.isBridge ? 2 : 0) + (one.family === 'IPv4' ? 0 : 1);
  return [...all.sort((a, b) => rank(a) - rank(b)).map(({ address }) => formatHost(address)), 'localhost'];
}

/**
 * Chooses the host of the URL that people open. Names come before addresses for a server on all addresses. With a
 * certificate, the first host that the certificate is for is preferred, since clients refuse all others.
 *
 * @param hostNames further names of the server
 * @param addresses from `findServedAddresses`
 * @param certificate as PEM; absent: plain HTTP
 */
export function chooseHost(
  address: Pick<ListenAddress, 'host'>,
  { hostNames, addresses, certificate }: { hostNames: readonly string[]; addresses: readonly string[]; certificate?: string },
): string {
  // A name of a load balancer may lead elsewhere, and loopback is asked for on purpose.
  if (isLoopback({ host: address.host, port: 0 })) return formatHost(address.host);
  const isEverywhere = readWildcard(address.host) !== undefined;
  const hosts = isEverywhere ? [...hostNames, ...addresses] : [...addresses, ...hostNames];
  const leaf = certificate === undefined ? undefined : new X509Certificate(certificate);
  return hosts.find((host) => leaf && isFor(leaf, host)) ?? hosts[0] ?? 'localhost';
}

function isFor(leaf: X509Certificate, host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return (isIP(bare) === 0 ? leaf.checkHost(bare) : leaf.checkIP(bare)) !== undefined;
}
