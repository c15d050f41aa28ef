import { EXIT } from '../../../core/exit-codes.js';
import { activeName } from '../../../home/workspaces/registry.js';
import type { ChosenBy, ChosenWorkspace } from '../../../home/workspaces/which.js';
import { findTrouble } from '../../../settings/workspaces/find-trouble.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';

/** Reasons why a command acts in a workspace. */
const CHOSEN_BY: Readonly<Record<ChosenBy, string>> = {
  option: '--workspace',
  environment: 'PROVISIONING_WORKSPACE',
  folder: 'the nearest provisioning.yaml above the current folder',
  context: 'the active context: provisioning context show',
  active: 'it is the active one: provisioning workspace switch NAME makes another one active',
  default: 'none is named, and none is active',
};

/** Returns the workspace for `--json`. */
const workspaceDocument = ({ name, by, registered }: ChosenWorkspace, active: string | undefined) => ({
  workspace: name,
  by,
  active: name === active,
  ...(registered && { folder: registered.folder, lastUsed: registered.lastUsed }),
});

export const command = defineCommand({
  details: 'Shows the workspace of commands in this folder, and the reason. Exit code 2 if it cannot be used.',
  examples: ['workspace show', 'workspace show --workspace shop --json'],
  async run(session) {
    const { chosen } = session;
    const { name, by, registered } = chosen;
    const trouble = registered && (await findTrouble(registered));
    const exitCode = trouble ? EXIT.badInput : EXIT.done;
    if (session.json) {
      writeDocument(session, { ...workspaceDocument(chosen, activeName(session.home)), ...(trouble && { trouble }) });
      return exitCode;
    }
    const rows = [
      ['workspace', name],
      ['folder', registered?.folder ?? 'none: it is registered with none on this machine'],
      ['chosen by', CHOSEN_BY[by]],
    ];
    session.out.write(`${columns(rows).join('\n')}\n`);
    if (trouble) session.err.write(`error: ${trouble.why}\nhint: ${trouble.hint}\n`);
    return exitCode;
  },
});
