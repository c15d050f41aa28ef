import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<tenant>', 'name of the tenant']],
  details: 'Workspaces are listed if they have infras.',
  examples: ['tenant show acme', 'tenant show acme --json'],
  async run(session, { args: [tenant] }) {
    const shown = await (await session.client()).tenants.get({ tenant });
    if (session.json) {
      writeDocument(session, shown);
      return 0;
    }
    const { name, id, state, about, providers, created, by, accounts, workspaces } = shown;
    const lines = [
      ['tenant', name],
      ['state', state],
      ['id', id],
      ...(about === undefined ? [] : [['about', about]]),
      ['created', `${created.slice(0, 10)} by ${by}`],
      ['providers', providers.join(', ') || 'none'],
      ['accounts', String(accounts)],
      ['workspaces', workspaces.map((one) => `${one.name} (${one.infras})`).join(', ') || 'none with infras'],
    ];
    session.out.write(lines.map(([key = '', value = '']) => `${key.padEnd(10)} ${value}\n`).join(''));
    return 0;
  },
});
