import * as z from 'zod';
import { debian, debianVersions, ensurePackage, type FoundPackage, packageService } from '../../sdk/index.js';

const config = z
  .strictObject({
    pip: z.boolean().default(false).describe('Whether pip comes with it; virtual environments have their own in any case'),
    index: z
      .url({ protocol: /^https?$/, error: 'an index is a http:// or https:// URL' })
      .regex(/^[A-Za-z0-9.:/_~[\]-]+$/, { error: 'write the URL of an index without account, query and fragment' })
      .optional()
      .describe('Where pip gets packages, for all users; default: PyPI'),
  })
  .meta({ examples: [{ pip: true, index: 'https://pypi.example.org/simple' }] });

type Config = z.output<typeof config>;

/** Python with virtual environments. */
export const python = packageService({
  name: 'python',
  category: 'languages',
  description: 'Runs programs in Python, with virtual environments for their packages.',
  versions: debianVersions({ 12: '3.11', 13: null }),
  supports: { os: ['debian'] },
  config,
  // Half of Debian would go with python3, so that its removal takes this away and leaves the rest.
  package: 'python3.11-venv',
  furtherPackages: ['python3'],
  unit: false,
  files: {
    pipConf: {
      // Not /etc/pip.conf, which may be somebody else's.
      path: '/etc/xdg/pip/pip.conf',
      content: ({ index }) =>
        index === undefined
          ? undefined
          : `# Written by provisioning; changes by hand are taken back.\n[global]\nindex-url = ${index}\n`,
    },
  },
  contents: {
    fact: () => debian('python3-pip'),
    steps: ({ pip }: Config, found: FoundPackage) => (pip ? ensurePackage(found) : []),
  },
  health: ({ pip }) => [
    {
      title: 'python runs a program',
      command: 'python3 -c \'import venv, ensurepip; print("answer", 6 * 7)\'',
      expect: 'answer 42',
    },
    ...(pip ? [{ title: 'pip starts', command: 'python3 -m pip --version', expect: 'pip ' }] : []),
  ],
});
