import { inputError } from '../../../core/errors.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { describeLimited, readLimitedWorkspace, TENANT_OPTION } from '../../shared/limits/limited-tenant.js';

export const command = defineCommand({
  arguments: [['[workspace]', 'name of the workspace, or * for all workspaces together']],
  options: [
    TENANT_OPTION,
    { flags: '--operations <count>', about: 'operations at a time', number: true },
    { flags: '--servers <count>', about: 'servers', number: true },
    { flags: '--monthly <amount>', about: 'monthly cost of the servers, such as 250EUR' },
  ],
  details:
    'The quota replaces the former one. Servers over the quota stay, and no further ones are created. With --tenant and without a workspace it is for all workspaces of the tenant together.',
  examples: [
    'quota set default --operations 10 --servers 20',
    "quota set '*' --monthly 500EUR",
    'quota set --tenant acme --servers 20',
  ],
  async run(session, { args: [workspace], flags: { operations, servers, monthly, tenant } }) {
    const limits = {
      ...(operations !== undefined && { operations }),
      ...(servers !== undefined && { servers }),
      ...(monthly !== undefined && { monthly: parseAmount(monthly) }),
    };
    const place = readLimitedWorkspace(workspace, tenant);
    const made = await (await session.client()).quotas.set({ ...place, ...limits });
    if (session.json) writeDocument(session, made);
    else session.out.write(`quota set: ${describeLimited(place.workspace, tenant)}\n`);
    return 0;
  },
});

/**
 * Parses an amount.
 *
 * @throws inputError `bad-arguments`
 */
function parseAmount(text: string): { amount: number; currency: string } {
  const [, amount, currency] = /^(\d{1,12}(?:\.\d{1,2})?) ?([A-Z]{3})$/.exec(text) ?? [];
  if (amount !== undefined && currency !== undefined) return { amount: Number(amount), currency };
  const why = `"${text.slice(0, 40)}" is not an amount with a currency`;
  throw inputError({ code: 'bad-arguments', what: 'read --monthly', why, hint: 'write 250EUR' });
}
