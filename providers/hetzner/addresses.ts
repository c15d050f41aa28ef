import * as z from 'zod';
import type { CreateContext, WantedServer } from '../../sdk/index.js';
import { action, type PrimaryIp, primaryIp } from './api/shapes.js';
import { nameAndLabels } from './project/labels.js';
import type { Project } from './project/project.js';

/** Ensures a reserved public address, which outlives the machine. */
export function ensureAddress(
  project: Project,
  { name }: WantedServer,
  location: string,
  context: CreateContext,
): Promise<PrimaryIp> {
  const about = { what: 'reserve the address', on: name };
  return project.ensure('address', name, context, async () => {
    const body = {
      ...nameAndLabels('address', name, context),
      type: 'ipv4',
      assignee_type: 'server',
      auto_delete: false,
      location,
    };
    const answer = await project.api.post(
      z.object({ primary_ip: primaryIp, action: action.optional() }),
      'primary_ips',
      body,
      about,
    );
    await project.actions.finished([answer.action], about);
    return answer.primary_ip;
  });
}
