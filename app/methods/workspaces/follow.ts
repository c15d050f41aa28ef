import * as z from 'zod';
import { choosePace } from '../../follow/choose-pace.js';
import { followFeed, PACE } from '../../infra/follow-feed.js';
import { stream } from '../../method.js';
import { workspace } from '../../schemas/ids.js';
import { eventCursor, infraEvent } from '../../schemas/infra-event.js';

export const followWorkspace = stream({
  name: 'workspaces.follow',
  summary: 'Stream the changes in a workspace, in all its infras, until the caller stops',
  input: z.strictObject({ workspace, after: eventCursor }),
  output: infraEvent,
  permission: { action: 'infra:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: ['bad-cursor'],
  run: (caller, asked, options) => followFeed(caller.engine, asked, { ...options, pace: choosePace(caller, PACE) }),
});
