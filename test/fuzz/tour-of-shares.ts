import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import type { TestEngine } from '../support/engine.js';
import type { Go } from './tour-of-states.js';

/** A service whose member serves once it has a file, and then makes a token. */
const CREW = `
import { defineTaskserv, fact } from 'provisioning/sdk';
import * as z from 'zod';
export default defineTaskserv({
  name: 'crew', category: 'system', description: 'Members that know each other.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config: z.strictObject({}),
  facts: () => ({ up: fact('cat /srv/up', ({ stdout }) => stdout.trim(), '') }),
  installed: () => '1',
  plan: (_, { up }) => (up ? [] : [{ title: 'Join the crew', run: 'echo main >/srv/up', undo: 'rm /srv/up' }]),
  health: () => [],
  remove: () => [{ title: 'Leave the crew', run: 'rm -f /srv/up', irreversible: true }],
  group: {
    of: () => 'main',
    quorum: 'one',
    facts: () => ({ up: fact('cat /srv/up', ({ stdout }) => stdout.trim(), '') }),
    standing: ({ up }) => ({ serves: up !== '', ...(up && { group: up }) }),
    shares: { token: { title: 'Make a token', lifetimeSeconds: 3600, make: () => 'echo made-here-for-those-who-join' } },
  },
});
`;

/**
 * Calls the method that shows a share of a group: its service is a module of a workspace, on a local host.
 *
 * @param folder for the workspace
 * @param infra name of the infra of the host
 */
export async function visitShares(engine: TestEngine, { folder, infra }: { folder: string; infra: string }, go: Go): Promise<void> {
  const files = {
    'provisioning.yaml': 'name: default\n',
    'taskservs/crew/crew.ts': CREW,
    'infra/crew.yaml': `infra: ${infra}
provider: local
servers: [{ name: a }]
taskservs: [crew]
outputs: { token: { value: { share: token, of: crew } } }
`,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const cli = resolve(import.meta.dirname, '../../bin/provisioning.js');
  const run = (...args: string[]) => execa(process.execPath, [cli, ...args], { cwd: folder, env: engine.env });
  await run('workspace', 'register', '.');
  await run('apply', 'infra/crew.yaml', '--yes');
  await go('infras.revealOutput', { workspace: 'default', infra, output: 'token' });
}
