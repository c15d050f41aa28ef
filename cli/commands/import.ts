import { inputError } from '../../core/errors.js';
import type { Command } from '../command.js';
import { declined } from '../declined.js';
import { needsYes } from '../needs-yes.js';
import { accountNamed } from '../provider-account.js';
import { writeDocument } from '../render/document.js';
import { columns } from '../screen.js';

export const command: Command = {
  arguments: [['<server>', "the provider's id of the server, or its name there"]],
  options: [
    { flags: '--infra <name>', about: 'the infra that gets it, always needed; begins with it where there is none' },
    { flags: '--provider <name>', about: 'where it is, always needed: a provider, or one of its accounts' },
    { flags: '--name <name>', about: 'what the infra calls it (default: its name there)' },
    { flags: '--check', about: 'only find it' },
    { flags: '--yes', about: 'do not ask' },
  ],
  details:
    "Puts our labels on the server and writes it into the inventory. To install anything there its root needs the infra's\nkey (`provisioning server key INFRA`) in authorized_keys; its host key is pinned at the first connection. Name it in the\ndefinition before the next `apply`, which otherwise deletes it.",
  examples: ['import web-7 --infra shop --provider hetzner', 'import 4711 --infra shop --provider hetzner/prod --name web-1 --yes'],
  async run(session, { args: [server = ''], flags: { infra, provider: written, name, check = false, yes = false } }) {
    if (infra === undefined || written === undefined)
      throw inputError({
        code: 'import-what',
        what: 'import the server',
        on: server,
        why: `it is not said ${infra === undefined ? 'into which infra' : 'where it is'}`,
        hint: infra === undefined ? 'add --infra NAME' : 'add --provider NAME',
      });
    if (!check && !yes) needsYes(session, 'import the server', server);
    const { name: provider } = await accountNamed(session, written);
    const { workspace, actor } = session;
    const client = await session.client();
    const wish = { workspace, infra, actor, provider, server, name: checkedName(name ?? server) };
    const found = await client.importServer({ ...wish, check: true });
    if (!session.json) {
      const rows = Object.entries(found).filter(([key]) => key !== 'infra');
      session.out.write(`${columns(rows.map(([key, value]) => [key, String(value)])).join('\n')}\n`);
    }
    if (check) {
      if (session.json) writeDocument(session, found);
      return 0;
    }
    if (!yes && !(await session.confirm(`Take it into the infra ${infra} as ${wish.name}?`))) return declined(session);
    const report = await client.importServer({ ...wish, server: found.id });
    if (session.json) writeDocument(session, report);
    else session.out.write(`imported: ${report.name}\nits root needs the key of: provisioning server key ${infra}\n`);
    return 0;
  },
};

/** As a definition may name a server, so that it can name this one. */
function checkedName(name: string): string {
  if (/^[a-z][a-z0-9-]{0,39}$/.test(name)) return name;
  const why = 'a server is named by lower-case letters, digits and dashes, a letter first, at most 40';
  throw inputError({ code: 'server-name', what: 'import the server', on: name, why, hint: 'give it another with --name' });
}
