import type { OwnedThing } from '../../../sdk/index.js';
import { createOwnedSelector, type Kind, keyIn, nameIn, scopeIn } from '../project/labels.js';
import type { Project } from '../project/project.js';

const KINDS: readonly Kind[] = ['server', 'network', 'volume', 'firewall', 'address', 'placement', 'key'];

/** Lists everything that a set-up created in a workspace, with one request per kind. */
export async function listOwned(project: Project, workspace: string, setup: string, signal?: AbortSignal): Promise<OwnedThing[]> {
  signal?.throwIfAborted();
  const about = { what: 'list our resources', on: `workspace ${workspace}`, signal };
  const lists = await Promise.all(
    KINDS.map(async (kind) => {
      const rows = await project.list(kind, createOwnedSelector(workspace, setup), about);
      return rows.flatMap(({ id, labels, created }): OwnedThing[] => {
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
