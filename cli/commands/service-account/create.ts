import { ROLES } from '../../../app/access/roles.js';
import { workspaceOfAccount } from '../../../app/schemas/service-account.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<account>', 'name: ci, or default/ci for an account of one workspace']],
  options: [
    { flags: '--about <text>', about: 'purpose, for the list' },
    { flags: '--tenant <name>', about: 'tenant of the account, for administrators of the platform' },
    { flags: '--role <role>', about: 'role to grant: in the workspace of the account, or in all', choices: ROLES },
  ],
  details:
    'An account of one workspace can have roles only there. Roles are viewer, operator, deployer, approver, auditor and admin; grant more with `provisioning service-account grant`.',
  examples: ['service-account create default/ci --role deployer', 'service-account create exporter --about "Reads states"'],
  async run(session, { args: [account], flags: { about, role, tenant } }) {
    const { serviceAccounts } = await session.client();
    const within = tenant === undefined ? {} : { tenant };
    const created = await serviceAccounts.create({ account, ...within, ...(about !== undefined && { about }) });
    const workspace = workspaceOfAccount(account) ?? '*';
    if (role !== undefined) await serviceAccounts.bind({ account, role, workspace, ...within });
    const roles = role === undefined ? [] : [{ role, workspace }];
    if (session.json) writeDocument(session, { ...created, roles });
    else
      session.out.write(
        `created: ${account}\nNext: provisioning token create ${account}${tenant === undefined ? '' : ` --tenant ${tenant}`}\n`,
      );
    return 0;
  },
});
