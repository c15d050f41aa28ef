import { resolve } from 'node:path';
import type { BackupRestored, BackupVerified } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { writeBackup } from '../../render/backup.js';
import { writeDocument } from '../../render/document.js';
import { reportsFor } from '../../render/reports.js';
import { declined } from '../../shared/declined.js';
import { runEngine } from '../../shared/engine.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<file>', 'the archive']],
  options: [
    { flags: '--to <home>', about: 'the folder of the home to make (default: PROVISIONING_HOME); never over one in use' },
    { flags: '--key <file>', about: 'the copy of keys.json that was kept, where the home has no keys yet' },
    { flags: '--store <where>', about: 'files, or postgres://…, in place of where its settings keep things' },
    { flags: '--yes', about: 'do not ask' },
  ],
  details:
    'Verifies the archive, shows it, and asks. The home may have encryption/ and settings.yaml, and nothing else. Afterwards `provisioning up` in that home goes on where the backup was made; the former home must not run beside it.',
  examples: ['backup restore monday.tar --to /srv/provisioning --key keys.json'],
  async run(session, { args: [file], flags: { to = session.home.root, key, store, yes } }) {
    const reports = reportsFor(session);
    const keyed = key ? [`--key=${key}`] : [];
    if (!yes) {
      needsYes(session, 'restore the backup', to, '`backup verify` to only look');
      // The keys of the home to be, if it has some.
      const there = { ...session, env: { ...session.env, PROVISIONING_HOME: resolve(to) } };
      const { result } = await runEngine<BackupVerified>(there, ['backup', 'verify', ...keyed, '--', file], reports.report).finally(
        reports.end,
      );
      writeBackup(session, result, []);
      if (!(await session.confirm(`Restore it into ${to}?`))) return declined(session);
    }
    const args = ['backup', 'restore', `--to=${to}`, ...keyed, ...(store ? [`--store=${store}`] : []), '--', file];
    const { result, exitCode } = await runEngine<BackupRestored>(session, args, reports.report).finally(reports.end);
    if (session.json) writeDocument(session, result);
    else writeBackup(session, result, [['restored', `${result.restored} entries into ${result.home} and ${result.into}`]]);
    return exitCode;
  },
});
