import { accountNamed } from '../../authoring/catalog/provider-account.js';
import { inputError } from '../../core/errors.js';
import { NAME, NAME_RULE } from '../../core/names.js';
import type { ImportReport } from '../../core/operation/drift.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { entryOf, entryText, importText } from '../render/import.js';
import { reportDeclined } from '../shared/declined.js';
import { letIn } from '../shared/let-in.js';
import { needsYes } from '../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<server>', 'id of the server at the provider, or its name there']],
  options: [
    { flags: '--infra <name>', about: 'target infra (required); created if it does not exist' },
    { flags: '--provider <name>', about: 'source of the server (required): a provider, or one of its accounts' },
    { flags: '--name <name>', about: 'name of the server in the infra (default: its name at the provider)' },
    {
      flags: '--login <user>',
      about: "user (root, debian, …) for one login with this machine's ssh, to authorize the infra's key",
    },
    {
      flags: '--identity <file>',
      about: 'private key for the login (default: the keys of ssh; logs in as root, unless --login is given)',
    },
    { flags: '--check', about: 'find the server, change nothing' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    "Labels the server and adds it to the inventory. Root on the server needs the infra's key. With --login or --identity\nthe command installs it with your key and pins the host key. Otherwise add `provisioning server key INFRA` to authorized_keys.\nAdd the printed entry to the definition before the next `apply`, which otherwise deletes the server.",
  examples: [
    'import web-7 --infra shop --provider hetzner --identity ~/.ssh/id_ed25519',
    'import i-0123 --infra shop --provider aws/prod --name web-1 --login admin --yes',
  ],
  async run(session, { args: [server = ''], flags }) {
    const { infra, provider: written, name, check = false, yes = false, login, identity } = flags;
    if (infra === undefined || written === undefined)
      throw inputError({
        code: 'import-what',
        what: 'import the server',
        on: server,
        why: `the ${infra === undefined ? 'infra' : 'provider'} is missing`,
        hint: infra === undefined ? 'add --infra NAME' : 'add --provider NAME',
      });
    if (!check && !yes) needsYes(session, 'import the server', server);
    checked(infra, 'infra', 'give another with --infra');
    const { name: provider } = await accountNamed(session, written);
    const { workspace } = session;
    const client = await session.client();
    const wish = {
      workspace,
      infra,
      provider,
      server,
      name: checked(name ?? server, 'server', 'choose another name with --name'),
    };
    const found = await client.servers.import({ ...wish, check: true });
    if (!session.json) session.out.write(importText(found));
    if (check) {
      if (session.json) writeDocument(session, { ...found, entry: entryOf(found) });
      else session.out.write(entryLines(found));
      return 0;
    }
    if (!yes && !(await session.confirm(`Import it into the infra ${infra} as ${wish.name}?`))) return reportDeclined(session);
    const lets = login !== undefined || identity !== undefined;
    const hostKey = lets
      ? await letIn(
          { address: addressIn(found), user: login ?? 'root', ...(identity ? { identity } : {}) },
          await client.infras.publicKey({ workspace, infra }),
        )
      : undefined;
    const report = await client.servers.import({ ...wish, server: found.id });
    if (hostKey) await client.servers.pinHostKey({ workspace, infra, server: wish.name, key: hostKey });
    if (session.json) writeDocument(session, { ...report, entry: entryOf(report), ...(lets ? { letsIn: true } : {}) });
    else {
      const key = lets ? 'it lets the infra in' : `its root needs the key of: provisioning server key ${infra}`;
      session.out.write(`imported: ${report.name}\n${key}\n${entryLines(report)}`);
    }
    return 0;
  },
});

const entryLines = (report: ImportReport): string =>
  `in the definition of ${report.infra}, whose next apply deletes what it does not name:\n  servers:\n    ${entryText(report)}\n`;

function addressIn({ name, address }: ImportReport): string {
  if (address) return address;
  throw inputError({ code: 'import-login', what: 'log in with your own key', on: name, why: 'it has no address' });
}

/** Checks that a definition may use the name, so that a definition can be written for the imported server. */
function checked(name: string, what: 'infra' | 'server', hint: string): string {
  if (NAME.test(name)) return name;
  throw inputError({
    code: 'server-name',
    what: 'import the server',
    on: name,
    why: `the name of this ${what} must match: ${NAME_RULE}`,
    hint,
  });
}
