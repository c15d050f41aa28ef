import * as z from 'zod';
import { testWorkspaceOf } from '../../../core/names.js';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';
import { sweepEnvironments } from '../../test-environments/environments.js';

export const sweepTestEnvironments = method({
  name: 'testEnvironments.sweep',
  summary: 'Start removing test environments whose timer is lost, and list them',
  input: z.strictObject({ workspace }),
  output: z.array(z.string()),
  permission: { action: 'test-environment:remove', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal: { actor } }, { workspace }) => sweepEnvironments(engine, testWorkspaceOf(workspace), actor),
});
