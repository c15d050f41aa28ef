import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { parseLifetime } from '../../shared/times/parse-lifetime.js';

export const command = defineCommand({
  arguments: [['<account>', 'name of the service account']],
  options: [
    { flags: '--expires <time>', about: 'lifetime: 12h, 30d; at most 365d (default: 90d)' },
    { flags: '--tenant <name>', about: 'tenant of the account, for administrators of the platform' },
    { flags: '--about <text>', about: 'purpose, for the list' },
  ],
  details:
    'Prints the token on standard output, once: it is not stored. You can create a token only if you have all rights of the account.',
  examples: ['token create default/ci', 'token create default/ci --expires 30d > token'],
  async run(session, { args: [account], flags: { expires, about, tenant } }) {
    const created = await (await session.client()).tokens.create({
      account,
      ...(tenant !== undefined && { tenant }),
      ...(expires !== undefined && { hours: parseLifetime(expires, '--expires') }),
      ...(about !== undefined && { about }),
    });
    if (session.json) writeDocument(session, created);
    else {
      session.note(`token ${created.id} of ${account}, valid until ${created.expires.slice(0, 16).replace('T', ' ')} UTC:`);
      session.out.write(`${created.token}\n`);
    }
    return 0;
  },
});
