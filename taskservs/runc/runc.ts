import * as z from 'zod';
import { debianVersions, packageService } from '../../sdk/index.js';

/** Starts containers from bundles of the Open Container Initiative. */
export const runc = packageService({
  name: 'runc',
  category: 'runtimes',
  holds: [],
  description: 'Starts containers from OCI bundles, for engines without their own runtime.',
  versions: debianVersions({ 12: '1.1', 13: '1.1' }),
  supports: { os: ['debian'] },
  // They bring runc, and would be removed with it, or miss it.
  conflicts: ['containerd', 'docker', 'podman'],
  config: z.strictObject({}),
  unit: false,
  files: {},
  health: () => [{ title: 'runc lists its containers', command: 'runc list', expect: 'STATUS' }],
});
