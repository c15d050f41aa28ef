import { chooseContext } from '../../../client/http/connection.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  details:
    'Shows your identity at the platform. Through a server, this is the account of your token with its roles. On this machine, it is the owner of the home.',
  examples: ['whoami', 'whoami --context prod --json'],
  async run(session) {
    const identity = await (await session.client()).identity.get({});
    const server = chooseContext(session)?.url;
    if (session.json) {
      writeDocument(session, { ...identity, ...(server !== undefined && { server }) });
      return 0;
    }
    const { actor, owner, account, tenant, roles = [], token } = identity;
    const rows = [
      ['actor', actor],
      ['server', server ?? 'the engine of this machine'],
      ...(account === undefined ? [] : [['account', account]]),
      ...(tenant ? [['tenant', tenant]] : []),
      ['roles', owner ? 'owner of the home: everything is allowed' : describeRoles(roles)],
      ...(token ? [['token', `${token.id}, valid until ${token.expires.slice(0, 16).replace('T', ' ')} UTC`]] : []),
    ];
    session.out.write(`${columns(rows).join('\n')}\n`);
    return 0;
  },
});

const describeRoles = (roles: readonly { role: string; workspace: string }[]): string =>
  roles.length === 0
    ? 'none'
    : roles.map(({ role, workspace }) => `${role} in ${workspace === '*' ? 'all workspaces' : workspace}`).join(', ');
