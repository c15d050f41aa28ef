import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BadInput } from './run-row.js';

/** A taskserv of the user with the version distances that these rows need. */
const OWN = `import { defineTaskserv } from 'provisioning/sdk';
import * as z from 'zod';
export default defineTaskserv({
  name: 'own', category: 'system', description: 'A test.',
  versions: { default: '5', supported: ['5', '4', '3', '2', '1'], withdrawn: { 2: 'it loses data' }, upgrades: 'major-by-major', source: 'own' },
  config: z.strictObject({}),
  endpoints: () => [],
  facts: () => ({}),
  installed: () => undefined,
  plan: () => [],
  health: () => [],
  remove: () => [],
});
`;

const upgrade = (title: string, taskserv: string, version: string, options: string[], says: RegExp): BadInput => ({
  title: `an upgrade ${title}`,
  files: {
    'infra.yaml': `infra: shop\nprovider: demo\nservers: [{ name: web }]\ntaskservs: [{ name: ${taskserv}, version: '${version}' }]\n`,
  },
  async prepare(folder) {
    await mkdir(join(folder, 'home/taskservs'));
    await writeFile(join(folder, 'home/taskservs/own.ts'), OWN);
  },
  args: ['taskserv', 'upgrade', taskserv, '--file', 'infra.yaml', '--yes', ...options],
  exit: 2,
  says,
});

/** Impossible upgrades that the definition reveals: no engine runs. */
export const UPGRADES: readonly BadInput[] = [
  upgrade(
    'to a version that there is not',
    'traefik',
    '3.3.4',
    ['--to', '3.3.9'],
    /upgrade traefik to 3\.3\.9: this release does not/,
  ),
  upgrade('to no version', 'traefik', '3.3.4', ['--to', ''], /upgrade traefik to : this release does not support it/),
  upgrade('to a withdrawn version', 'own', '1', ['--to', '2'], /upgrade own to 2: this version is withdrawn: it loses data/),
  upgrade('to an older version', 'traefik', '3.3.5', ['--to', '3.3.4'], /infra\.yaml: the definition has 3\.3\.5, which is newer/),
  upgrade(
    'to an older version that cannot be',
    'own',
    '3',
    ['--to', '1'],
    /infra\.yaml: the definition has 3, and its data is not for 1/,
  ),
  upgrade(
    'past a major version',
    'own',
    '3',
    ['--to', '5'],
    /infra\.yaml: the definition has 3, and the upgrade to 5 leads through 4/,
  ),
  upgrade(
    'by both options',
    'traefik',
    '3.3.4',
    ['--to', '3.3.5', '--strategy', 'patch'],
    /--to and --strategy exclude each other/,
  ),
  upgrade('by a strategy of another command', 'traefik', '3.3.4', ['--strategy', 'rolling'], /strategy/),
  upgrade('with a plan to save', 'traefik', '3.3.4', ['--to', '3.3.5', '--plan-out', 'a.plan'], /a saved plan writes no file/),
];
