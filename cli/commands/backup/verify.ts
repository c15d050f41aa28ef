import type { BackupVerified } from '../../../core/engine/backup.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { backupText, sealRow } from '../../render/backup/backup.js';
import { writeDocument } from '../../render/document.js';
import { runBackup, withKeysOf } from '../../shared/backup.js';
import { recoveryCopyAt } from '../../shared/keys/recovery-copy.js';

export const command = defineCommand({
  arguments: [['<file>', 'the archive']],
  options: [
    { flags: '--key <file>', about: 'a copy of keys.json, where this home has another key' },
    { flags: '--recovery <file>', about: 'a recovery copy: proves that the backup can be opened with it alone' },
    { flags: '--identity <file>', about: 'the age identity of the recipient that the recovery copy was encrypted for' },
  ],
  details:
    'Reads all of it and checks every hash; with the key, also who made it, and that each record and payload can be opened. Exit code 2 when something is damaged, with its name, or when the recovery copy does not open it.',
  examples: ['backup verify monday.tar', 'backup verify monday.tar --recovery recovery.age'],
  async run(session, { args: [file], flags: { key, recovery, identity } }) {
    const keyed = [...(key ? [`--key=${key}`] : []), ...(recovery ? [`--recovery=${recovery}`] : [])];
    const by = recovery ? withKeysOf(session, await recoveryCopyAt(session, recovery, identity)) : session;
    const { result, exitCode } = await runBackup<BackupVerified>(by, 'verify', ...keyed, '--', file);
    if (session.json) writeDocument(session, result);
    else session.out.write(backupText(result, [sealRow(result)], paintFor(session.out)));
    return exitCode;
  },
});
