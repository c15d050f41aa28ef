import { isIP, isIPv6 } from 'node:net';

/** Data of Node's server about the connection of a request. */
export interface RequestConnection {
  socket?: { remoteAddress?: string | undefined };
}

/**
 * Returns the source address of a request: the address of its connection, or the one that a trusted proxy saw. IPv6
 * addresses are truncated to the network of a customer (64 bits), so that no customer has more of them than others.
 *
 * @param trusted addresses of proxies whose `X-Forwarded-For` is trusted
 * @returns undefined if the connection is unknown
 */
export function readCallerAddress(
  incoming: RequestConnection | undefined,
  headers: Headers,
  trusted: ReadonlySet<string>,
): string | undefined {
  const peer = plainAddress(incoming?.socket?.remoteAddress);
  if (peer === undefined) return undefined;
  if (!trusted.has(peer)) return networkOf(peer);
  // Each proxy appends the address that it saw: the last one that is not a trusted proxy is the caller's.
  const seen = (headers.get('x-forwarded-for') ?? '').split(',').map((one) => plainAddress(one.trim()));
  for (const one of seen.reverse()) {
    if (one === undefined) break;
    if (!trusted.has(one)) return networkOf(one);
  }
  return networkOf(peer);
}

function plainAddress(text: string | undefined): string | undefined {
  const address = text?.replace(/^::ffff:(?=\d+\.)/i, '');
  return address !== undefined && isIP(address) ? address.toLowerCase() : undefined;
}

function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined ? before : [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
  const network = groups.slice(0, 4).map((group: string) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
