import { resolve } from 'node:path';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import {
  checkLock,
  chooseLock,
  describeWorkspace,
  refuseExisting,
  writeSealedWorkspace,
} from '../../shared/workspace/sealed-workspace.js';
import { downloadParts } from '../../shared/workspace/workspace-parts.js';

const NOTHING = { id: '', parts: [] };

export const command = defineCommand({
  arguments: [
    ['<name>', 'name of the workspace'],
    ['<file>', 'file to write: a new file, mode 600'],
  ],
  options: [
    { flags: '--recipient <age1…>', about: 'encrypt the file for an age recipient instead of a passphrase', repeated: true },
    { flags: '--keep', about: 'do not freeze the workspace' },
    { flags: '--check', about: 'only show what the file would contain' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    'Writes all of a workspace into one encrypted file: inventories, definitions and their sources, secrets, SSH keys, and how operations ended. `workspace import` takes it to another platform.\nThe workspace stays here and is frozen: two platforms that change the same servers would undo each other. `unfreeze` ends this, if the file is not imported anywhere. Fails while operations run.\nThe passphrase is prompted for without being shown, or read from standard input.',
  examples: [
    'workspace export shop shop.age',
    'workspace export shop shop.age --recipient age1… --yes',
    'workspace export shop - --check',
  ],
  async run(session, { args: [workspace, file], flags: { recipient = [], keep, check = false, yes = false } }) {
    const path = resolve(file);
    const asksFirst = !check && !keep && !yes;
    if (asksFirst) needsYes(session, 'export the workspace', workspace, '--check to only look');
    if (!check) await refuseExisting(path);
    const { workspaces } = await session.client();
    const kept = keep ? { keep: true as const } : {};
    const seen = await workspaces.export({ workspace, check: true, ...kept });
    if (check && session.json) writeDocument(session, seen.summary);
    if (!session.json) session.out.write(describeWorkspace(seen.summary));
    if (check) return 0;
    if (asksFirst && !(await session.confirm(`Freeze ${workspace} and write it to ${path}?`))) return reportDeclined(session);
    const lock = await chooseLock(session, recipient);
    await checkLock(path, lock);
    const { summary, download = NOTHING } = await workspaces.export({ workspace, ...kept, parts: true });
    const content = downloadParts(session, workspace, download);
    await writeSealedWorkspace(path, { summary, parts: download.parts, content }, lock);
    if (session.json) writeDocument(session, { file: path, ...summary });
    else
      session.out.write(
        `wrote ${path}\n${summary.frozen ? `frozen: ${workspace}. It must stay frozen once the file is imported elsewhere\n` : 'not frozen: end all changes here before the file is imported elsewhere\n'}`,
      );
    return 0;
  },
});
