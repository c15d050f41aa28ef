import { findInventory, subject } from '../../../authoring/request/which-infra.js';
import { jumpHostAt, jumpKeyName } from '../../../core/definition/jump-host.js';
import { inputError } from '../../../core/errors.js';
import type { Inventory } from '../../../core/infra/inventory.js';
import { defineCommand, INFRA } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<name>', 'the server']],
  options: [
    INFRA,
    { flags: '--jump', about: "key of the jump host in front of the server, instead of the server's key" },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    'Use this for a machine that was reinstalled outside the platform: the next host key is pinned without a check.\nA jump host has one key for all servers of the infra behind it.',
  examples: ['server forget-key web-1', 'server forget-key web-1 --infra shop --yes', 'server forget-key web-1 --jump'],
  async run(session, { args: [name = ''], flags }) {
    const { infra } = await subject(session, flags);
    const jump = flags.jump ? jumpOf(await findInventory(session, infra), name) : undefined;
    const whose = jump ? `the jump host ${jump.address}:${jump.port}` : name;
    if (!flags.yes) {
      if (!session.interactive) {
        throw inputError({
          code: 'question-without-terminal',
          what: 'forget the host key',
          on: name,
          why: 'the change must be confirmed',
          hint: 'add --yes',
        });
      }
      if (!(await session.confirm(`Trust the next host key that ${whose} shows?`))) return 0;
    }
    const client = await session.client();
    await client.servers.forgetHostKey({ workspace: session.workspace, infra, server: jump ? jumpKeyName(jump) : name });
    if (session.json)
      writeDocument(session, { server: name, ...(jump ? { jump: `${jump.address}:${jump.port}` } : {}), forgotten: true });
    else session.out.write(`forgotten: the host key of ${whose}\n`);
    return 0;
  },
});

function jumpOf({ infra, servers }: Inventory, name: string) {
  const connection = servers[name]?.connection;
  const jump = connection?.kind === 'ssh' && connection.jump ? jumpHostAt(connection.jump, connection.user) : undefined;
  if (jump) return jump;
  const why = servers[name] ? 'the server has no jump host' : `the infra "${infra}" has no such server`;
  throw inputError({ code: 'no-jump-host', what: 'forget the host key', on: name, why, hint: 'provisioning server status NAME' });
}
