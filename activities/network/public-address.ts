import ipaddr from 'ipaddr.js';
import { inputError } from '../../core/errors.js';
import { MACHINE_CREDENTIALS } from '../../core/host/machine-credentials.js';

/** Kind of an address. At `credentials` addresses, clouds give a machine its own credentials. */
export type AddressKind = 'public' | 'private' | 'credentials';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

const CREDENTIALS: readonly Network[] = MACHINE_CREDENTIALS.map((network) => ipaddr.parseCIDR(network));
/** Global unicast, of which some is special again. */
const GLOBAL: Network = ipaddr.parseCIDR('2000::/3');
/** NAT64: the last four bytes are an address of IPv4. */
const NAT64: Network = ipaddr.parseCIDR('64:ff9b::/96');

/**
 * Classifies an address. Only a unicast address outside of the special ranges is public. An IPv4 address within an
 * IPv6 one counts as itself. Tunnels (6to4, Teredo) are not public.
 *
 * @param address as a resolver returns it; any other text is private
 */
export function classifyAddress(address: string): AddressKind {
  const at = readAddress(address);
  if (!at) return 'private';
  if (CREDENTIALS.some((network) => isIn(at, network))) return 'credentials';
  if (at.range() !== 'unicast') return 'private';
  return at.kind() === 'ipv4' || isIn(at, GLOBAL) ? 'public' : 'private';
}

/** Parses an address, and unwraps an IPv4 address within an IPv6 one. Undefined for other texts. */
function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // A zone names an interface of this machine.
  const plain = text.split('%')[0] as string;
  if (!ipaddr.isValid(plain)) return undefined;
  const at = ipaddr.process(plain);
  if (at.kind() === 'ipv6' && isIn(at, NAT64)) return ipaddr.fromByteArray(at.toByteArray().slice(12));
  return at;
}

const isIn = (at: ipaddr.IPv4 | ipaddr.IPv6, network: Network): boolean => at.kind() === network[0].kind() && at.match(network);

/** Hosts, addresses and networks that an administrator allows. */
export interface AllowedPlaces {
  /** @param host as in the URL @param address that it resolved to */
  allows(host: string, address: string): boolean;
}

/**
 * Reads a list, comma-separated: `mirror.example.org`, `*.example.org` (not `example.org`), `10.1.2.3`, `10.0.0.0/8`,
 * `fd00:1::/64`.
 *
 * @throws inputError `bad-settings` that names the invalid part
 */
export function readAllowedPlaces(list: string): AllowedPlaces {
  const names: string[] = [];
  const networks: Network[] = [];
  for (const part of list.split(',').map((one) => one.trim().toLowerCase())) {
    if (part === '') continue;
    if (ipaddr.isValidCIDR(part)) networks.push(ipaddr.parseCIDR(part));
    else if (ipaddr.IPv4.isValidFourPartDecimal(part) || ipaddr.IPv6.isValid(part)) {
      const at = ipaddr.parse(part);
      networks.push([at, at.kind() === 'ipv4' ? 32 : 128]);
    } else if (/^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z]([a-z0-9-]*[a-z0-9])?$/.test(part)) names.push(part);
    else throw refusePart(part);
  }
  return {
    allows(host, address) {
      const asked = host.toLowerCase().replace(/\.$/, '');
      if (names.some((name) => (name.startsWith('*.') ? asked.endsWith(name.slice(1)) : asked === name))) return true;
      const at = readAddress(address);
      return at !== undefined && networks.some((network) => isIn(at, network));
    },
  };
}

const refusePart = (part: string) =>
  inputError({
    ...{ code: 'bad-settings', what: 'read the settings', on: 'worker.privateAddresses' },
    why: `"${part}" is no host, address or network`,
    hint: 'for example mirror.example.org, *.corp.example.org, 10.1.2.3, 10.0.0.0/8',
  });
