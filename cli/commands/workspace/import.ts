import { EXIT } from '../../../core/exit-codes.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { describeWorkspace, openSealedWorkspace } from '../../shared/workspace/sealed-workspace.js';
import { uploadParts } from '../../shared/workspace/workspace-parts.js';

export const command = defineCommand({
  arguments: [['<file>', 'file from `workspace export`']],
  options: [
    { flags: '--as <name>', about: 'another name; only for a workspace without infras' },
    { flags: '--identity <file>', about: 'age identity for which the file is encrypted' },
    { flags: '--take-over', about: 'also if the workspace was exported with --keep: nothing else may change its servers any more' },
    { flags: '--undo', about: 'remove what the import of this file made, if the workspace was not used since' },
    { flags: '--check', about: 'only show what would be imported, and what is in the way' },
    { flags: '--yes', about: 'skip the confirmation' },
  ],
  details:
    'Imports a workspace as a whole, or nothing of it. Servers are not touched. Repeat the command to continue an upload or an import that was cut; after its end it changes nothing. An operation since the import, even one without changes, counts as use, and --undo is refused then. Fails if the workspace has infras, or secrets of the same names.\nThe file is opened on this machine, and its content goes to the worker or to the API server of the context. The passphrase is prompted for without being shown, or read from standard input.',
  examples: ['workspace import shop.age --check', 'workspace import shop.age --identity age-identity.txt --yes'],
  async run(session, { args: [file], flags: { as, identity, takeOver, undo, check = false, yes = false } }) {
    if (!check && !yes) needsYes(session, undo ? 'undo the import' : 'import the workspace', file, '--check to only look');
    const opened = await openSealedWorkspace(session, file, identity);
    const workspace = as ?? opened.summary.workspace;
    const given = 'data' in opened ? { data: opened.data } : { upload: await uploadParts(session, workspace, opened) };
    const { workspaces } = await session.client();
    const seen = await workspaces.import({ workspace, ...given, check: true });
    if (!session.json) {
      session.out.write(describeWorkspace(seen.summary));
      if (seen.collisions.length > 0) session.out.write(`here already: ${seen.collisions.join(', ')}\n`);
    }
    if (check) {
      if (session.json) writeDocument(session, seen);
      return seen.collisions.length > 0 ? EXIT.failed : EXIT.done;
    }
    const question = undo ? `Remove what the import of ${workspace} made?` : `Import ${workspace} as shown?`;
    if (!yes && !(await session.confirm(question))) return reportDeclined(session);
    const how = { ...(takeOver && { takeOver: true as const }), ...(undo && { undo: true as const }) };
    const made = await workspaces.import({ workspace, ...given, ...how });
    if (session.json) writeDocument(session, made);
    else session.out.write(`${SAID[made.outcome](workspace)}\n`);
    return EXIT.done;
  },
});

const SAID = {
  checked: (workspace: string) => `checked: ${workspace}`,
  imported: (workspace: string) => `imported: ${workspace}. \`provisioning apply --check\` shows what differs from its definitions`,
  unchanged: (workspace: string) => `nothing to do: ${workspace} is as this file left it, or it was never imported`,
  undone: (workspace: string) => `undone: nothing of the import of ${workspace} is left`,
};
