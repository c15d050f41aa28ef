import {
  checkFirst,
  debian,
  debianVersions,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  ensureWait,
  type Facts,
  type FoundFile,
  type FoundPackage,
  fact,
  file,
  listeningOn,
  resolvesNames,
  type Step,
  sh,
  systemd,
  upstreamVersion,
  waitFile,
} from '../../sdk/index.js';
import { type BindConfig, bindConfig } from './bind-config.js';
import { renderNamedConf, ZONE_HEADER, ZONES, zoneFile } from './bind-files.js';

const CONF = '/etc/bind/named.conf';

const pathOf = (zone: string) => `${ZONES}/${zone}`;
const readsOf = ({ zones }: BindConfig) => [CONF, ...zones.map(({ name }) => pathOf(name))];

/** The facts; files of zones are `zone 1`, `zone 2`, in the order of the configuration. */
interface Known extends Record<string, unknown> {
  package: FoundPackage;
  conf: FoundFile;
  /** Names of the zone files that the platform wrote, also of removed zones. */
  zones: string[];
  wait: FoundFile;
  unit: Parameters<typeof ensureService>[0];
}

/** Answers for domains, and asks others for all other names. */
export const bind = defineTaskserv<BindConfig, Facts>({
  name: 'bind',
  category: 'networking',
  holds: [],
  description: 'Authoritative name server for domains; it can forward other queries to resolvers.',
  versions: debianVersions({ 12: '9.18', 13: '9.20' }, { package: 'bind9' }),
  supports: { os: ['debian'] },
  conflicts: ['dnsmasq', 'unbound'],
  config: bindConfig,
  endpoints: ({ port }) => [
    { name: 'dns', port, protocol: 'udp' },
    { name: 'dns-tcp', port },
    { name: 'bind-control', port: 953, local: true },
  ],
  uses: () => [],
  facts: (config) => ({
    package: debian('bind9'),
    conf: file(CONF),
    zones: fact(sh`cd ${ZONES} 2>/dev/null && grep -lsxF ${ZONE_HEADER} -- * || true`, ({ stdout }) => zonesIn(stdout), []),
    ...Object.fromEntries(config.zones.map(({ name }, index) => [`zone ${index + 1}`, file(pathOf(name))])),
    wait: file(waitFile('named')),
    unit: systemd('named', readsOf(config)),
  }),
  installed: (found) => upstreamVersion((found as Known).package.version),

  plan(config, found, context) {
    const known = found as Known;
    const listening = listeningOn('bind', 'dns', context);
    const former = known.zones.filter((zone) => !config.zones.some(({ name }) => name === zone));
    const before: Step[] = [
      ...ensurePackage(known.package),
      ...ensureFile(known.conf, { content: renderNamedConf(config, listening, context.version) }),
      ...config.zones.flatMap((zone, index) => ensureFile(known[`zone ${index + 1}`] as FoundFile, { content: zoneFile(zone) })),
      ...former.map(removeZone),
      ...ensureWait(known.wait, 'named', listening),
    ];
    const wanted = { state: 'running', enabled: true, change: 'reload', reads: readsOf(config) } as const;
    const service = ensureService(known.unit, wanted, before);
    return [...before, ...checkFirst('Check the configuration of bind', sh`named-checkconf -z ${CONF}`, service)];
  },

  health: ({ port, zones }) =>
    zones.length === 0
      ? [resolvesNames('bind', port)]
      : zones.map(({ name }) => ({
          title: `bind answers for ${name}`,
          command: sh`exec 3<>/dev/udp/127.0.0.1/${port}
printf ${authorityOf(name)} >&3
answer=$(timeout 3 dd bs=512 count=1 status=none <&3 | od -An -v -tx1 | tr -d ' \n')
[[ $answer == 707284[08]0* ]]`,
        })),

  remove(_, found) {
    const known = found as Known;
    return [
      ...ensureService(known.unit, { state: 'stopped', enabled: false }),
      ...ensureNoPackage(known.package),
      ...ensureNoFile(known.conf),
      ...known.zones.map(removeZone),
      ...ensureNoFile(known.wait),
    ];
  },
});

const zonesIn = (listed: string): string[] => listed.split('\n').filter((name) => /^[a-z0-9][a-z0-9.-]*$/.test(name));

const removeZone = (zone: string): Step => ({ title: `Remove ${pathOf(zone)}`, absent: { path: pathOf(zone) } });

/**
 * Query of RFC 1035 for the authority (SOA) of a domain. An authoritative answer without an error begins with 8400 or
 * 8480.
 */
function authorityOf(domain: string): string {
  const labels = domain.split('.').map((label) => `\\x${label.length.toString(16).padStart(2, '0')}${label}`);
  return String.raw`\x70\x72\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00${labels.join('')}\x00\x00\x06\x00\x01`;
}
