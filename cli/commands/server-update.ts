import { type Command, NARROWED, UPDATE } from '../command.js';
import { ensureServers } from '../ensure.js';

export const command: Command = {
  arguments: [['[names...]', 'servers of the definition; without a name all of them']],
  options: [...NARROWED, ...UPDATE],
  details: 'Makes servers what the definition says, without their taskservs.',
  examples: ['server update web-1', 'server update --file infra.yaml --check'],
  run: ensureServers,
};
