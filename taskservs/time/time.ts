import * as z from 'zod';
import {
  debianVersions,
  host,
  type ListenAddress,
  listeningOn,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  network,
  packageService,
} from '../../sdk/index.js';

const POOL = ['0.debian.pool.ntp.org', '1.debian.pool.ntp.org', '2.debian.pool.ntp.org', '3.debian.pool.ntp.org'];

const config = z
  .strictObject({
    servers: z.array(host()).min(1).default(POOL).describe('NTP servers'),
    nts: z.boolean().default(false).describe('Whether these servers must authenticate by NTS'),
    serve: z.array(network()).default([]).describe('Clients that may use this host as a time server; default: no clients'),
    local: z.boolean().default(false).describe('Whether the local clock is served if no server answers'),
  })
  .refine(({ serve, local }) => !local || serve.length > 0, {
    path: ['local'],
    error: 'stratum has no effect without serve: set serve as well',
  })
  .meta({ examples: [{ servers: ['ntp.example.org', '192.0.2.7'], serve: ['10.0.0.0/8'] }] });

type Config = z.output<typeof config>;

function chronyConf({ servers, nts, serve, local }: Config, listening: ListenAddress): string {
  // It takes one address of each kind, and answers loopback only where it listens on all.
  const [, address] = literalAddressesOf(listening) ?? [];
  return [
    MANAGED_FILE_HEADER,
    ...servers.map((server) => `server ${server} iburst${nts ? ' nts' : ''}`),
    ...(serve.length === 0 ? ['port 0'] : serve.map((range) => `allow ${range}`)),
    ...(serve.length > 0 && address ? [`bindaddress ${address}`] : []),
    ...(local ? ['local stratum 10'] : []),
    // Asked by its socket only.
    'cmdport 0',
    'driftfile /var/lib/chrony/chrony.drift',
    'ntsdumpdir /var/lib/chrony',
    'maxupdateskew 100.0',
    'makestep 1 3',
    'rtcsync',
    'leapsectz right/UTC',
    '',
  ].join('\n');
}

/** A container uses the machine's clock. There chrony measures and serves it, but does not set it. */
const UNIT = `${MANAGED_FILE_HEADER}
[Unit]
ConditionCapability=

[Service]
ExecStart=
ExecStart=!/bin/sh -c 'exec /usr/sbin/chronyd $DAEMON_OPTS $(systemd-detect-virt -cq && echo -x)'
`;

/** Keeps the clock right by NTP, and serves the time to others. */
export const time = packageService({
  name: 'time',
  category: 'system',
  holds: [],
  description: 'Synchronizes the clock by NTP, and can serve the time to other hosts.',
  versions: debianVersions({ 12: '4.3', 13: '4.6' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ serve }) => (serve.length > 0 ? [{ name: 'ntp', port: 123, protocol: 'udp' }] : []),
  package: 'chrony',
  // The leap seconds.
  furtherPackages: ['tzdata'],
  listens: ({ serve }, context) => (serve.length > 0 ? listeningOn('time', 'ntp', context) : 'loopback'),
  files: {
    conf: { path: '/etc/chrony/chrony.conf', content: (config, { listening }) => chronyConf(config, listening) },
    dropIn: { path: '/etc/systemd/system/chrony.service.d/provisioning-container.conf', content: () => UNIT },
  },
  check: 'chronyd -p >/dev/null',
  health: () => [
    { title: 'chrony answers', command: 'chronyc -n tracking', expect: 'Leap status' },
    {
      title: 'the clock follows a server',
      command: `systemd-detect-virt -cq && { echo 'Leap status : not of a container'; exit 0; }
chronyc -n tracking | grep -v 'Not synchronised'`,
      expect: 'Leap status',
    },
  ],
});
