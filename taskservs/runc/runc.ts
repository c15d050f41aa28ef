import * as z from 'zod';
import { packageService } from '../../sdk/index.js';

/** Starts containers from bundles of the Open Container Initiative. */
export const runc = packageService({
  name: 'runc',
  category: 'runtimes',
  description: 'Starts containers from OCI bundles, for engines that bring no runtime of their own.',
  versions: { default: '1.1', supported: ['1.1'], source: 'debian' },
  supports: { os: ['debian'] },
  // They bring runc, and would be removed with it, or miss it.
  conflicts: ['containerd', 'docker', 'podman'],
  config: z.strictObject({}),
  unit: false,
  files: {},
  health: () => [{ title: 'runc lists its containers', command: 'runc list', expect: 'STATUS' }],
});
