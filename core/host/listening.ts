import { MANAGED_FILE_HEADER } from '../taskserv/managed-file-header.js';
import { ensureFile, ensureNoFile } from '../taskserv/plans.js';
import type { Endpoint, HostContext, OfferedEndpoint, Peer } from '../taskserv/taskserv.js';
import type { FoundFile } from './facts.js';
import type { Step } from './step.js';

const LOOPBACK = '127.0.0.1';

/** All addresses, loopback, or one address of the host. */
export type ListenAddress = 'all' | 'loopback' | { address: string };

interface Around {
  host: HostContext;
  peers: readonly Peer[];
}

/**
 * Address on which an endpoint of a taskserv listens, beside loopback or instead of it: `all` addresses if it is
 * public, otherwise the server's private address. An existing machine without a private address listens on all
 * addresses if others use the endpoint (the preview says so), otherwise on `loopback`.
 *
 * @param endpoint its name; endpoints on the same port count, too
 */
export function listeningOn(taskserv: string, endpoint: string, around: Around): ListenAddress {
  return listeningOf(ownSocket(taskserv, endpoint, around), around.host);
}

/** @param endpoints all of one port: who uses one of them reaches the others */
function listeningOf(endpoints: readonly Endpoint[], { privateAddress: address }: HostContext): ListenAddress {
  if (endpoints.some((one) => one.public)) return 'all';
  if (address) return { address };
  return endpoints.some((one) => one.usedFrom) ? 'all' : 'loopback';
}

/**
 * The address at which a host reaches an endpoint of its definition: the name of another server; on its own server the
 * address on which the endpoint listens. Its own name need not resolve on a host, and what has a private address
 * need not listen on loopback.
 *
 * @returns a name, or an address without brackets
 */
export function reachedAt({ server, address, endpoint }: OfferedEndpoint, host: HostContext): string {
  if (server !== host.name) return address;
  const listening = endpoint.local || endpoint.loopback ? 'loopback' : listeningOf([endpoint], host);
  return typeof listening === 'string' ? LOOPBACK : listening.address;
}

/** The same with its port: `db-1:5432`, `[fd00::5]:80`. */
export const reachedAtPort = (offered: OfferedEndpoint, host: HostContext): string =>
  `${hostPart(reachedAt(offered, host))}:${offered.endpoint.port}`;

/** An endpoint, and those that the same program serves on its port: `metrics` of victoriametrics, `dns-tcp` of unbound. */
function ownSocket(taskserv: string, endpoint: string, { host, peers }: Around): Endpoint[] {
  const own = peers.find((peer) => peer.server === host.name && peer.taskserv === taskserv)?.endpoints ?? [];
  const named = own.find(({ name }) => name === endpoint);
  return own.filter((one) => one === named || (one.port === named?.port && !one.local));
}

/** By which the other servers of its network reach a server; undefined where it has no private network, or none is known. */
export function privateAddressIn({ privateAddress = '' }: { privateAddress?: string }): string | undefined {
  // It goes into files and scripts of root's: nothing but an address or a name.
  return /^[A-Za-z0-9:.-]+$/.test(privateAddress) ? privateAddress : undefined;
}

/** Loopback and the private address, for what can listen on several; undefined for all addresses. */
export function addressesOf(listening: ListenAddress): string[] | undefined {
  if (listening === 'all') return undefined;
  return listening === 'loopback' ? [LOOPBACK] : [LOOPBACK, listening.address];
}

/** The same for what takes addresses only; undefined, for all of them, where the host is known by a name: a container is. */
export function literalAddressesOf(listening: ListenAddress): string[] | undefined {
  const addresses = addressesOf(listening);
  return addresses?.every(isAddress) ? addresses : undefined;
}

/** The address by which the host itself asks what listens on one address only. */
export const askAt = (listening: ListenAddress): string => (typeof listening === 'string' ? LOOPBACK : hostPart(listening.address));

/** An address as it stands before a port: `10.0.0.5`, `[fd00::5]`. */
export const hostPart = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** The drop-in of a unit that waits for the address it listens on. */
export const waitFile = (unit: string): string => `/etc/systemd/system/${unit}.service.d/provisioning-address.conf`;

/**
 * Lets a unit start only once the host has the address that it listens on: a private network
 * may come up after the services do. Nothing where it listens on none that may be late.
 *
 * @param found the file `waitFile(unit)`
 */
export function ensureWait(found: FoundFile, unit: string, listening: ListenAddress): Step[] {
  // A name of a container's is there before its services are.
  const address = typeof listening === 'string' || !isAddress(listening.address) ? undefined : listening.address;
  if (address === undefined) return ensureNoFile(found);
  return ensureFile(found, { content: waitDropIn(address) }, `Let ${unit} wait for the address ${address}`);
}

/** Whether it is an address, not a name. */
const isAddress = (text: string): boolean => /^[0-9.]+$|^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(text);

/** Seconds that a unit waits; below what systemd grants a start. */
const WAIT_S = 60;

function waitDropIn(address: string): string {
  const there = address.includes(':')
    ? `ip -o -6 addr show to ${address} | grep -q .`
    : `grep -q "|-- ${address.replaceAll('.', '\\\\.')}$$" /proc/net/fib_trie`;
  return `${MANAGED_FILE_HEADER}
[Unit]
Wants=network-online.target
After=network-online.target

[Service]
ExecStartPre=+/bin/sh -c 'n=0; until ${there}; do n=$$((n+1)); [ $$n -lt ${WAIT_S} ] || { echo "${address} is no address of this host" >&2; exit 1; }; sleep 1; done'
`;
}
