import * as z from 'zod';
import { type CallContext, inputError, type OtherKind } from '../../../sdk/index.js';
import type { Server } from '../api/shapes.js';
import { nameIn, selector } from '../project/labels.js';
import { FIELDS, type Project } from '../project/project.js';

/**
 * Deletes auxiliary resources of servers. An address or firewall in use stays, and is reported as a transient error.
 */
export async function removeOther(project: Project, kind: OtherKind, name: string, context: CallContext): Promise<void> {
  const row = await project.ours(kind, name, context);
  const about = { what: `delete the ${kind}`, on: name, signal: context.signal };
  if (!row) return;
  if ('servers' in row && row.servers.length > 0)
    throw inputError({ code: 'in-use', what: about.what, on: name, why: `${row.servers.length} servers use it` });
  await project.api.remove(z.unknown(), `${FIELDS[kind]}/${row.id}`, about);
}

/** Deletes the firewall of a deleted server and, unless a successor needs it, its address. */
export async function removeHelpers(project: Project, server: string, context: CallContext, keepAddress = false): Promise<void> {
  for (const kind of keepAddress ? (['firewall'] as const) : (['firewall', 'address'] as const)) {
    const row = await project.ours(kind, server, context);
    const about = { what: `delete the ${kind}`, on: server, signal: context.signal };
    if (row) await project.api.remove(z.unknown(), `${FIELDS[kind]}/${row.id}`, about);
  }
}

/**
 * Deletes what only deleted servers used: the placement of the last one and, after the infra's last server, all
 * placements and the key.
 */
export async function tidy(project: Project, gone: Server | undefined, context: CallContext): Promise<void> {
  const { scope } = context;
  const about = { what: 'tidy up', on: scope.infra };
  const word = gone?.placement_group ? nameIn(gone.placement_group.labels) : '';
  const group = word ? await project.ours('placement', word, context) : undefined;
  if (group?.servers.every((id) => id === gone?.id))
    await project.api.remove(z.unknown(), `${FIELDS.placement}/${group.id}`, about);
  await removeUnused(project, gone, context);
}

/** Deletes placements and key if the infra has no server other than the deleted one. */
export async function removeUnused(project: Project, gone: Server | undefined, context: CallContext): Promise<void> {
  const { scope } = context;
  const about = { what: 'tidy up', on: scope.infra };
  await project.shared(`tidy ${scope.uuid}`, context.signal, async () => {
    // Two rows show whether there is a server other than the deleted one, which may still be listed.
    const query = { label_selector: selector(scope, 'server'), per_page: 2 };
    const { servers } = await project.api.get(z.object({ servers: z.array(z.object({ id: z.int() })) }), 'servers', query, about);
    if (servers.some(({ id }) => id !== gone?.id)) return;
    for (const kind of ['placement', 'key'] as const)
      for (const { id } of await project.list(kind, selector(scope, kind), about))
        await project.api.remove(z.unknown(), `${FIELDS[kind]}/${id}`, about);
  });
}
