import * as z from 'zod';
import type { CallContext } from '../../../sdk/index.js';
import { removeHelpers, tidy } from '../account/others.js';
import { action } from '../api/shapes.js';
import type { Servers } from '../project/servers.js';
import { removeVolume } from '../volumes.js';
import { waitUntilUnlocked } from './power.js';

/** Deletes a server with its volumes and auxiliary resources. With `replaced`, its address stays. */
export async function deleteServer(
  { project, underWay }: Servers,
  name: string,
  context: CallContext & { replaced?: true },
): Promise<void> {
  const row = await project.ours('server', name, context);
  const about = { what: 'delete the server', on: name, signal: context.signal };
  if (row) {
    await waitUntilUnlocked(project, row, context);
    const answer = await project.api.remove(z.object({ action: action.optional() }), `servers/${row.id}`, about);
    await project.actions.finished([answer?.action], about);
    underWay.delete(row.id);
  }
  for (const volume of await project.volumesOf(name, context)) await removeVolume(project, volume, context);
  await removeHelpers(project, name, context, context.replaced);
  if (!context.replaced) await tidy(project, row, context);
}
