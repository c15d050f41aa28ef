import * as z from 'zod';
import { debianVersions, packageService } from '../../sdk/index.js';

/** Copies images of containers between registries. */
export const skopeo = packageService({
  name: 'skopeo',
  category: 'registries',
  holds: [],
  description: 'Copies and inspects container images in registries, folders and archives.',
  versions: debianVersions({ 12: '1.9', 13: '1.18' }),
  supports: { os: ['debian'] },
  config: z.strictObject({}),
  unit: false,
  // Registries have certificates.
  furtherPackages: ['ca-certificates'],
  files: {},
  health: () => [
    {
      title: 'skopeo tells the digest of a manifest',
      command: `printf '{"schemaVersion":2}' | skopeo manifest-digest /dev/stdin`,
      expect: 'sha256:bafebd36189ad3688b7b3915ea55d461e0bfcfbdde11e54b0a123999fb6be50f',
    },
  ],
});
