/** A login name: POSIX's portable characters, no dash or dot first, at most 32 as `useradd` takes them. */
export const USER_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,31}$/;

/** Rule of `USER_NAME` in words. */
export const USER_NAME_RULE = 'letters, digits, ".", "_" and "-", none of the last two signs first, at most 32 of them';

const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const BYTE = /^(0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;

/** Rule of `isHost` in words. */
export const HOST_RULE = 'a host name such as db.example.org, or an IP address without prefix length, brackets or zone';

/** Whether a text is an IPv4 address in four decimal parts: `192.0.2.7`. */
export function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => BYTE.test(part) && Number(part) <= 255);
}

/** Whether a text is an IPv6 address without brackets and zone: `2001:db8::7`, `::ffff:192.0.2.7`. */
export function isIpv6(text: string): boolean {
  const last = text.slice(text.lastIndexOf(':') + 1);
  if (last.includes('.')) return isIpv4(last) && isIpv6(`${text.slice(0, -last.length)}0:0`);
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const count = groups.flat().length;
  return groups.flat().every((group) => GROUP.test(group)) && (halves.length === 2 ? count <= 7 : count === 8);
}

/**
 * Whether a text is a host name by RFC 1123: labels of letters, digits and dashes, at most 63
 * characters each and 253 in all. The last label is not a number: `300.1.2.3` is no name.
 */
export function isHostName(text: string): boolean {
  const labels = text.split('.');
  return text.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
}

/**
 * Reports whether a text is a host name or an IP address. An address with a zone (`fe80::1%eth0`) is not: it has a
 * meaning only on one machine.
 */
export const isHost = (text: string): boolean => isIpv4(text) || isIpv6(text) || isHostName(text);

/** Whether a number is a TCP or UDP port. */
const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

/** Parses `host:port` or `[IPv6]:port`. Undefined for other texts. */
export function parseHostPort(text: string): { host: string; port: number } | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const fits = bracketed === undefined ? isHost(plain ?? '') : isIpv6(bracketed);
  return fits && isPort(port) ? { host: bracketed ?? plain ?? '', port } : undefined;
}

/** A host to go through, from `user@address:port`; user and port may be left out, an IPv6 address stands in brackets. */
export function parseJumpHost(text: string): { user?: string; host: string; port?: number } | undefined {
  const [, user, rest = ''] = /^(?:([^@]*)@)?(.*)$/s.exec(text) ?? [];
  if (user !== undefined && !USER_NAME.test(user)) return undefined;
  const login = user === undefined ? {} : { user };
  const bare = /^\[(.*)\]$/.exec(rest)?.[1];
  if (bare === undefined ? isIpv4(rest) || isHostName(rest) : isIpv6(bare)) return { ...login, host: bare ?? rest };
  const whole = parseHostPort(rest);
  return whole && { ...login, ...whole };
}
