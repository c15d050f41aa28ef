import { inputError } from '../../../core/errors.js';
import { isWorkspace } from '../../../core/tenant-names.js';
import type { WorkspaceContent } from './workspace-content.js';

/**
 * Returns the content of a workspace under another name: its own secrets. Labels at clouds and marks on hosts have the
 * name of the workspace, so a workspace with infras keeps its name. Content that only infras use is omitted.
 *
 * @throws inputError `workspace-in-use`, `workspace-name`
 */
export function renameContent(content: WorkspaceContent, to: string): WorkspaceContent {
  const what = 'import the workspace';
  if (!isWorkspace(to)) throw inputError({ code: 'workspace-name', what, on: to, why: 'this cannot be the name of a workspace' });
  if (content.workspace === to) return content;
  const infras = content.infras.map(({ infra }) => infra);
  if (infras.length > 0) {
    const why = `labels of clouds and marks on hosts have the name "${content.workspace}" for its infras ${infras.join(', ')}`;
    const hint = 'omit --as, or export it after its infras were deleted';
    throw inputError({ code: 'workspace-in-use', what, on: to, why, hint });
  }
  const records = content.records
    .filter(({ kind, name }) => kind.startsWith('secret') && name[0] === content.workspace && name[1] === '')
    .map((record) => ({ ...record, name: [to, ...record.name.slice(1)] }));
  const secrets = records.filter(({ kind }) => kind === 'secret').length;
  return { ...content, workspace: to, records, secrets, ended: [], operations: 0, sources: 0 };
}
