import { type Command, NARROWED } from '../command.js';
import { ensureServers } from '../ensure.js';

export const command: Command = {
  arguments: [['[names...]', 'servers of the definition; without a name all of them']],
  options: NARROWED,
  details: 'Makes servers what the definition says, without their taskservs.',
  examples: ['server update web-1', 'server update --file infra.yaml --check'],
  run: ensureServers,
};
