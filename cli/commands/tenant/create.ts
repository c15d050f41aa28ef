import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<tenant>', 'name of the tenant']],
  options: [
    { flags: '--about <text>', about: 'purpose, for the list' },
    {
      flags: '--provider <account>',
      about: 'provider account that its definitions may use, such as hetzner/acme; may be repeated',
      repeated: true,
    },
  ],
  details:
    'Its workspaces, infras, secrets and service accounts are apart from all others. Its definitions use only the given accounts of providers.',
  examples: ['tenant create acme --provider hetzner/acme', 'service-account create admin --tenant acme --role admin'],
  async run(session, { args: [tenant], flags: { about, provider } }) {
    const { tenants } = await session.client();
    const created = await tenants.create({
      tenant,
      ...(about !== undefined && { about }),
      ...(provider !== undefined && { providers: provider }),
    });
    if (session.json) writeDocument(session, created);
    else session.out.write(`created: ${tenant}\nNext: provisioning service-account create admin --tenant ${tenant} --role admin\n`);
    return 0;
  },
});
