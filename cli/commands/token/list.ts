import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

const minute = (time: string | undefined): string => (time === undefined ? 'never' : time.slice(0, 16).replace('T', ' '));

export const command = defineCommand({
  arguments: [['<account>', 'name of the service account']],
  options: [{ flags: '--tenant <name>', about: 'tenant of the account, for administrators of the platform' }],
  details: 'Expired and revoked tokens stay in the list for 30 days. Times are in UTC.',
  examples: ['token list default/ci', 'token list default/ci --json'],
  async run(session, { args: [account], flags: { tenant } }) {
    const tokens = await (await session.client()).tokens.list({ account, ...(tenant !== undefined && { tenant }) });
    if (session.json) {
      writeDocument(session, { tokens });
      return 0;
    }
    const paint = paintFor(session.out);
    const rows = tokens.map(({ id, state, expires, used, about = '' }) => [
      id,
      paint(state === 'active' ? 'green' : 'dim', state),
      minute(expires),
      minute(used),
      about,
    ]);
    session.out.write(renderTable(['ID', 'STATE', 'EXPIRES', 'LAST USE', 'ABOUT'], rows, 'no tokens', paint));
    return 0;
  },
});
