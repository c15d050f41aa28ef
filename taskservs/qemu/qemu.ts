import * as z from 'zod';
import { debianVersions, MANAGED_FILE_HEADER, packageService, sh } from '../../sdk/index.js';

const config = z
  .strictObject({
    bridges: z
      .array(
        z
          .string()
          .regex(/^[a-z0-9][a-z0-9._-]{0,14}$/, { error: 'the name of a bridge has up to 15 lower-case letters, digits and ._-' }),
      )
      .default([])
      .describe('Bridges of the host that the bridge helper of qemu may join machines to'),
  })
  .meta({ examples: [{ bridges: ['br0'] }] });

/** Starts a machine of nothing, speaks with it, and ends it. */
const SPEAK = `${sh`printf %s ${'{"execute":"qmp_capabilities"}{"execute":"quit"}'}`} |
  timeout 20 qemu-system-x86_64 -machine none -nodefaults -display none -qmp stdio`;

/** Runs virtual machines. */
export const qemu = packageService({
  name: 'qemu',
  category: 'hypervisors',
  holds: [],
  description: 'Runs virtual machines, and makes images of their disks.',
  versions: debianVersions({ 12: '7.2', 13: '10.0' }),
  supports: { os: ['debian'], arch: ['amd64'] },
  config,
  package: 'qemu-system-x86',
  unit: false,
  // Images of disks, and firmware for machines that start by UEFI.
  furtherPackages: ['qemu-utils', 'ovmf'],
  files: {
    bridges: {
      path: '/etc/qemu/bridge.conf',
      content: ({ bridges }) =>
        bridges.length > 0 ? [MANAGED_FILE_HEADER, ...bridges.map((name) => `allow ${name}`), ''].join('\n') : undefined,
    },
  },
  health: () => [{ title: 'qemu starts a machine', command: SPEAK, expect: '"reason": "host-qmp-quit"' }],
});
