import type { Command } from '../command.js';
import type { CommandEntry } from '../commands.js';

/**
 * The same command without contact to Git servers. It reports on files, and whoever wrote them could otherwise choose a
 * server that learns who reads them. `apply` and its preview contact the server.
 */
export async function withoutGitServers(loading: ReturnType<CommandEntry['load']>): Promise<{ command: Command }> {
  const { command } = await loading;
  const contacts =
    'Does not contact Git servers: `apply --check` verifies that a repository at a URL has the branch, tag or commit.';
  return {
    command: {
      ...command,
      details: command.details === undefined ? contacts : `${command.details} ${contacts}`,
      run: (session, input) => command.run(Object.create(session, { withoutGitServers: { value: true } }), input),
    },
  };
}
