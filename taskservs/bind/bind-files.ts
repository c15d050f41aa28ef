import { fingerprint, isIpv6, type ListenAddress, literalAddressesOf, managedFileHeader } from '../../sdk/index.js';
import type { BindConfig, DnsRecord, Zone } from './bind-config.js';

export const ZONES = '/etc/bind/zones';

/** The first line of zone files, by which they are found. */
export const ZONE_HEADER = managedFileHeader(';');

/** Further file of the package: on Debian 12 localhost and zones for mistaken queries. */
const brought = (version: string): string => (version === '9.18' ? 'named.conf.default-zones' : 'named.conf.root-hints');

/** The content of named.conf. */
export function renderNamedConf(
  { port, allow, zones, forwardTo, resolveFor }: BindConfig,
  listening: ListenAddress,
  version: string,
): string {
  const addresses = literalAddressesOf(listening);
  const listen = (family: (address: string) => boolean) => list(addresses?.filter(family) ?? ['any']);
  const resolves = forwardTo.length > 0;
  const options = [
    'directory "/var/cache/bind";',
    `listen-on port ${port} ${listen((address) => !isIpv6(address))};`,
    `listen-on-v6 port ${port} ${listen(isIpv6)};`,
    `allow-query ${list(['localhost', ...allow, ...(resolves ? resolveFor : [])])};`,
    `recursion ${resolves ? 'yes' : 'no'};`,
    ...(resolves
      ? [`allow-recursion ${list(['localhost', ...resolveFor])};`, 'forward only;', `forwarders ${list(forwardTo)};`]
      : []),
    'allow-transfer { none; };',
    'notify no;',
    'version none;',
  ];
  return [
    managedFileHeader('//'),
    'options {',
    ...options.map((option) => `  ${option}`),
    '};',
    `include "/etc/bind/${brought(version)}";`,
    ...zones.map(({ name }) => `zone "${name}" { type primary; file "${ZONES}/${name}"; };`),
    '',
  ].join('\n');
}

const list = (of: string[]): string => `{ ${of.length === 0 ? 'none; ' : of.map((one) => `${one}; `).join('')}}`;

/**
 * The file of a zone.
 *
 * Its serial number is a hash of the content, so the same content has the same number on every server. The number does
 * not count up, because no server transfers the zone.
 */
export function zoneFile({ name, nameServers, ttl, records }: Zone): string {
  const lines = [
    ...nameServers.map((server) => `@ IN NS ${server}.`),
    ...records.map((record) => `${record.name} IN ${record.type} ${written(record)}`),
  ];
  const serial = Number.parseInt(fingerprint([name, ttl, lines]).slice(-8), 16);
  return [
    ZONE_HEADER,
    `$ORIGIN ${name}.`,
    `$TTL ${ttl}`,
    // The last number: how long others keep that there is no such name.
    `@ IN SOA ${nameServers[0]}. hostmaster.${name}. ${serial} 3600 600 604800 ${Math.min(ttl, 300)}`,
    ...lines,
    '',
  ].join('\n');
}

function written({ type, value }: DnsRecord): string {
  if (type === 'A' || type === 'AAAA') return value;
  if (type !== 'TXT') return `${value}.`;
  // A text of a record has at most 255 bytes; a longer value is several.
  const texts = value.match(/.{1,255}/g) ?? [];
  return texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(' ');
}
