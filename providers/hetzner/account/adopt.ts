import * as z from 'zod';
import { type CreateContext, type FoundServer, inputError } from '../../../sdk/index.js';
import { isNotFound } from '../api/api.js';
import { type Server, server } from '../api/shapes.js';
import { assertOurs, ownLabels, scopeIn } from '../project/labels.js';
import { writeMachineLabels } from '../project/machine-labels.js';
import type { Project } from '../project/project.js';
import { describe } from '../servers/describe.js';

const holding = z.object({ server });

/** Adds our labels to an existing server, and keeps its own. Its volumes do not become ours. */
export async function adoptServer(project: Project, id: string, name: string, context: CreateContext): Promise<FoundServer> {
  const about = { what: 'take over the server', on: name, signal: context.signal };
  const row = await serverById(project, id, about);
  if (scopeIn(row.labels)) assertOurs(context.scope, 'server', name, row.labels);
  const namesake = await project.find('server', name, context);
  if (namesake && namesake.id !== row.id)
    throw inputError({
      code: 'name-taken',
      what: about.what,
      on: name,
      why: `the infra has another server of this name, ${namesake.id}`,
    });
  const labels = {
    ...row.labels,
    ...ownLabels('server', name, context),
    ...writeMachineLabels({ image: row.image?.name ?? String(row.image?.id ?? ''), mounts: {} }),
  };
  const answer = await project.api.put(holding, `servers/${row.id}`, { labels }, about);
  return describe(project, answer.server, context);
}

async function serverById(
  project: Project,
  id: string,
  about: { what: string; on: string; signal?: AbortSignal },
): Promise<Server> {
  const missing = () =>
    inputError({
      code: 'server-gone',
      what: about.what,
      on: about.on,
      why: `the project has no server "${id}"`,
      hint: 'run `provisioning server list --all` for all servers',
    });
  if (!/^\d+$/.test(id)) throw missing();
  try {
    return (await project.api.get(holding, `servers/${id}`, {}, about)).server;
  } catch (error) {
    if (isNotFound(error)) throw missing();
    throw error;
  }
}
