import { resolve } from 'node:path';
import type { BackupRestored, BackupVerified } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { backupText, restoredRow } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { runBackup } from '../../shared/backup.js';
import { declined } from '../../shared/declined.js';
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
    'Verifies the archive, shows it, and asks. The home may have encryption/, settings.yaml and service.env, and nothing else. Afterwards `provisioning up` in that home goes on where the backup was made; the former home must not run beside it.',
  examples: ['backup restore monday.tar --to /srv/provisioning --key keys.json'],
  async run(session, { args: [file], flags: { to = session.home.root, key, store, yes } }) {
    const keyed = key ? [`--key=${key}`] : [];
    if (!yes) {
      needsYes(session, 'restore the backup', to, '`backup verify` to only look');
      // The keys of the home to be, if it has some.
      const there = Object.create(session, { env: { value: { ...session.env, PROVISIONING_HOME: resolve(to) } } });
      const { result } = await runBackup<BackupVerified>(there, 'verify', ...keyed, '--', file);
      session.out.write(backupText(result, [], paintFor(session.out)));
      // Without its key it is refused below, which says what is missing: nobody is asked for nothing.
      if (result.seal === 'authentic' && !(await session.confirm(`Restore it into ${to}?`))) return declined(session);
    }
    const args = [`--to=${to}`, ...keyed, ...(store ? [`--store=${store}`] : []), '--', file];
    const { result, exitCode } = await runBackup<BackupRestored>(session, 'restore', ...args);
    if (session.json) writeDocument(session, result);
    else session.out.write(backupText(result, [restoredRow(result)], paintFor(session.out)));
    return exitCode;
  },
});
