import * as z from 'zod';
import { choosePace } from '../../follow/choose-pace.js';
import { followFeed, PACE } from '../../infra/follow-feed.js';
import { stream } from '../../method.js';
import { infra } from '../../schemas/ids.js';
import { eventCursor, infraEvent } from '../../schemas/infra-event.js';

export const followInfra = stream({
  name: 'infras.follow',
  summary: 'Stream the changes in an infra until the caller stops',
  input: z.strictObject({ ...infra, after: eventCursor }),
  output: infraEvent,
  permission: { action: 'infra:read', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['bad-cursor'],
  run: (caller, asked, options) => followFeed(caller.engine, asked, { ...options, pace: choosePace(caller, PACE) }),
});
