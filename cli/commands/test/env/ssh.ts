import { findInventory } from '../../../../authoring/request/which-infra.js';
import { testContext } from '../../../../authoring/test-environments/test-context.js';
import { inputError } from '../../../../core/errors.js';
import { defineCommand } from '../../../command.js';
import { environmentNamed } from '../../../shared/test-environments/named-environment.js';
import { command as ssh } from '../../server/ssh.js';

export const command = defineCommand({
  arguments: [
    ['<name>', 'the test environment'],
    ['[server]', 'one of its servers (default: the only one)'],
  ],
  details: 'Opens a root shell on a host, or runs a command there. The exit code is the exit code of the command.',
  examples: ['test env ssh postgres-3f9a2c', 'test env ssh shop-11b0aa db -- journalctl -n 50'],
  async run(session, { args: [name = '', server], rest, flags }) {
    const { infra } = await environmentNamed(session, name);
    const inTests = testContext(session);
    const servers = Object.keys((await findInventory(inTests, infra)).servers).sort();
    const [only] = servers;
    if (server === undefined && (only === undefined || servers.length > 1)) {
      const why =
        servers.length === 0 ? 'the environment has no server' : `the environment has ${servers.length}: ${servers.join(', ')}`;
      throw inputError({ code: 'which-servers', what: 'choose the server', on: name, why });
    }
    return ssh.run(inTests, { args: [server ?? (only as string)], flags: { ...flags, infra } as never, rest });
  },
});
