import * as z from 'zod';
import {
  debian,
  debianVersions,
  ensurePackage,
  type FoundPackage,
  MANAGED_FILE_HEADER,
  packageService,
  quote,
} from '../../sdk/index.js';

const config = z
  .strictObject({
    npm: z.boolean().default(false).describe('Whether to install npm: about 350 Debian packages'),
    registry: z
      .url({ protocol: /^https?$/, error: 'a registry must be an http:// or https:// URL' })
      .regex(/^[A-Za-z0-9.:/_~[\]-]+$/, { error: 'write a URL without account, query and fragment' })
      .optional()
      .describe('npm registry for interactive users; default: npmjs.org'),
  })
  .meta({ examples: [{ npm: true, registry: 'https://npm.example.org' }] });

type Config = z.output<typeof config>;

/** Node.js, and npm where that is wanted. */
export const nodejs = packageService({
  name: 'nodejs',
  category: 'languages',
  holds: [],
  description: 'Runs programs in JavaScript outside of a browser.',
  versions: debianVersions({ 12: '18', 13: '20' }),
  supports: { os: ['debian'] },
  config,
  unit: false,
  files: {
    profile: {
      path: '/etc/profile.d/provisioning-nodejs.sh',
      content: ({ registry }) =>
        registry === undefined ? undefined : `${MANAGED_FILE_HEADER}\nexport npm_config_registry=${quote(registry)}\n`,
    },
  },
  contents: {
    fact: () => debian('npm'),
    steps: ({ npm }: Config, found: FoundPackage) => (npm ? ensurePackage(found) : []),
  },
  health: ({ npm }) => [
    { title: 'node runs a program', command: `node -p '"answer " + 6 * 7'`, expect: 'answer 42' },
    ...(npm ? [{ title: 'npm starts', command: 'npm --version' }] : []),
  ],
});
