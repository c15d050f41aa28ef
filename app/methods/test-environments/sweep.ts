import * as z from 'zod';
import { testWorkspaceOf } from '../../../core/names.js';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';
import { sweepEnvironments } from '../../test-environments/environments.js';

export const sweepTestEnvironments = method({
  name: 'testEnvironments.sweep',
  summary: 'Begin to remove what test environments left whose time nobody keeps any more, and name it',
  input: z.strictObject({ workspace }),
  output: z.array(z.string()),
  permission: { action: 'test-environment:remove', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine, principal: { actor } }, { workspace }) => sweepEnvironments(engine, testWorkspaceOf(workspace), actor),
});
