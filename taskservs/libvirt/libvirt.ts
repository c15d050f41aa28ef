import * as z from 'zod';
import {
  absolutePath,
  debianVersions,
  ensureService,
  type FoundService,
  MANAGED_FILE_HEADER,
  packageService,
  systemd,
} from '../../sdk/index.js';
import { objectSteps, objectsFact, type WantedObject } from './objects.js';

const name = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, { error: 'a name has up to 63 lower-case letters, digits, _ and -' });
const eachOnce = (named: readonly { name: string }[]) => new Set(named.map(({ name }) => name)).size === named.length;

const config = z
  .strictObject({
    pools: z
      .array(
        z.strictObject({
          name: name.describe('Name of the pool'),
          path: absolutePath().describe('Folder; created if it does not exist'),
        }),
      )
      .refine(eachOnce, { error: 'each pool may be listed only once' })
      .optional()
      .describe(
        'Storage pools for disks of machines; one that is no longer named stays. Default: the pool `default` in /var/lib/libvirt/images',
      ),
    networks: z
      .array(
        z.strictObject({
          name: name.describe('Name of the network'),
          bridge: z
            .string()
            .regex(/^[a-z0-9][a-z0-9._-]{0,14}$/, { error: 'the name of a bridge has up to 15 lower-case letters, digits and ._-' })
            .describe('Bridge of the host that its machines join'),
        }),
      )
      .refine(eachOnce, { error: 'each network may be listed only once' })
      .default([])
      .describe('Networks of machines, by bridges that the host has; one that is no longer named stays'),
    deviceNamespaces: z
      .boolean()
      .default(true)
      .describe('Whether each machine can only see its own devices; turn it off if the host is a container'),
  })
  .meta({ examples: [{ pools: [{ name: 'disks', path: '/srv/disks' }], networks: [{ name: 'lan', bridge: 'br0' }] }] });

type Config = z.output<typeof config>;

const HEAD = `${MANAGED_FILE_HEADER}\n`;

const FOLDER = '/var/lib/libvirt/images';

const wanted = ({ pools, networks }: Config): WantedObject[] => [
  ...(pools ? [] : [{ kind: 'pool' as const, name: 'default', value: FOLDER, stays: true as const }]),
  ...(pools ?? []).map(({ name, path }) => ({ kind: 'pool' as const, name, value: path })),
  ...networks.map(({ name, bridge }) => ({ kind: 'net' as const, name, value: bridge })),
];

/** Sockets that start libvirt and its log daemon on demand, and that daemon. Their packages on Debian 13 stay. */
const ASIDE = [
  'libvirtd.socket',
  'libvirtd-ro.socket',
  'libvirtd-admin.socket',
  'virtlogd.socket',
  'virtlogd-admin.socket',
  'virtlogd',
];

const service = packageService({
  name: 'libvirt',
  category: 'hypervisors',
  holds: ({ pools }) => pools?.map(({ path }) => path) ?? [FOLDER],
  description: 'Manages virtual machines, their networks and their disks.',
  versions: debianVersions({ 12: '9.0', 13: '11.3' }),
  supports: { os: ['debian'], arch: ['amd64'] },
  requires: ['qemu'],
  config,
  endpoints: () => [],
  package: 'libvirt-daemon-system',
  unit: 'libvirtd',
  files: {
    // Without this, libvirt ends after two minutes without a client. That is no failure, but looks like one.
    defaults: { path: '/etc/default/libvirtd', content: () => `${HEAD}LIBVIRTD_ARGS=""\n` },
    qemu: {
      path: '/etc/libvirt/qemu.conf',
      content: ({ deviceNamespaces }) => `${HEAD}namespaces = [${deviceNamespaces ? ' "mount" ' : ''}]\n`,
      mode: '0600',
    },
  },
  contents: { fact: (config) => objectsFact(wanted(config)), steps: (config, found) => objectSteps(wanted(config), found) },
  health: () => [
    {
      title: 'libvirt reaches qemu',
      // The socket would start libvirt where it is stopped.
      command: 'systemctl is-active libvirtd && virsh -c qemu:///system version',
      expect: 'Running hypervisor: QEMU',
    },
  ],
});

/** Keeps virtual machines. */
export const libvirt: typeof service = {
  ...service,
  facts: (config) => ({
    ...service.facts(config),
    ...Object.fromEntries(ASIDE.map((unit) => [unit, systemd(unit)])),
  }),
  remove: (config, found) => [
    ...ASIDE.flatMap((unit) => ensureService(found[unit] as FoundService, { state: 'stopped', enabled: false })),
    ...service.remove(config, found),
  ],
};
