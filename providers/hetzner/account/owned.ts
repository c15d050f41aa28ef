import * as z from 'zod';
import { type CallContext, inputError, type OtherKind, type Owned } from '../../../sdk/index.js';
import { type Kind, keyIn, nameIn, ownedSelector, scopeIn } from '../project/labels.js';
import { FIELDS, type Project } from '../project/project.js';

const KINDS: readonly Kind[] = ['server', 'network', 'volume', 'firewall', 'address', 'placement', 'key'];

/** All that a set-up made in a workspace: one list for each kind. */
export async function listOwned(project: Project, workspace: string, setup: string, signal?: AbortSignal): Promise<Owned[]> {
  signal?.throwIfAborted();
  const about = { what: 'list what is ours', on: `workspace ${workspace}`, signal };
  const lists = await Promise.all(
    KINDS.map(async (kind) => {
      const rows = await project.list(kind, ownedSelector(workspace, setup), about);
      return rows.flatMap(({ id, labels, created }): Owned[] => {
        const scope = scopeIn(labels);
        const key = keyIn(labels);
        if (!scope) return [];
        return [
          { kind, name: nameIn(labels), id: String(id), scope, since: new Date(created).toISOString(), ...(key ? { key } : {}) },
        ];
      });
    }),
  );
  return lists.flat();
}

/** Deletes what goes along with servers. An address or firewall that is in use is left, and told as weather. */
export async function removeOther(project: Project, kind: OtherKind, name: string, context: CallContext): Promise<void> {
  const row = await project.ours(kind, name, context);
  const about = { what: `delete the ${kind}`, on: name, signal: context.signal };
  if (!row) return;
  if ('servers' in row && row.servers.length > 0)
    throw inputError({ code: 'in-use', what: about.what, on: name, why: `${row.servers.length} servers use it` });
  await project.api.remove(z.unknown(), `${FIELDS[kind]}/${row.id}`, about);
}
