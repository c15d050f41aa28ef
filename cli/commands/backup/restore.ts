import { resolve } from 'node:path';
import type { BackupRestoration, BackupVerification } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { backupText, renderRestored } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { runBackup } from '../../shared/backup.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<file>', 'archive to restore']],
  options: [
    { flags: '--to <home>', about: 'folder of the new home (default: PROVISIONING_HOME); never a home in use' },
    { flags: '--key <file>', about: 'copy of keys.json, if the home has no keys yet' },
    { flags: '--store <where>', about: 'target store: files, or postgres://…, instead of the store in its settings' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    'Verifies the archive, shows it, and asks for confirmation. The home may contain only encryption/, settings.yaml and service.env. Then run `provisioning up` in that home to continue from the backup. The former home must not run at the same time.',
  examples: ['backup restore monday.tar --to /srv/provisioning --key keys.json'],
  async run(session, { args: [file], flags: { to = session.home.root, key, store, yes } }) {
    const keyed = key ? [`--key=${key}`] : [];
    if (!yes) {
      needsYes(session, 'restore the backup', to, '`backup verify` to only look');
      // The keys of the target home, if it has some.
      const there = Object.create(session, { env: { value: { ...session.env, PROVISIONING_HOME: resolve(to) } } });
      const { result } = await runBackup<BackupVerification>(there, 'verify', ...keyed, '--', file);
      session.out.write(backupText(result, [], paintFor(session.out)));
      // Without its key the restore is rejected below, with the reason. The confirmation would be pointless.
      if (result.seal === 'authentic' && !(await session.confirm(`Restore it into ${to}?`))) return reportDeclined(session);
    }
    const args = [`--to=${to}`, ...keyed, ...(store ? [`--store=${store}`] : []), '--', file];
    const { result, exitCode } = await runBackup<BackupRestoration>(session, 'restore', ...args);
    if (session.json) writeDocument(session, result);
    else session.out.write(backupText(result, [renderRestored(result)], paintFor(session.out)));
    return exitCode;
  },
});
