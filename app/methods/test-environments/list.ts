import * as z from 'zod';
import { testWorkspaceOf } from '../../../core/names.js';
import { method } from '../../method.js';
import { workspace } from '../../schemas/ids.js';
import { testEnvironment } from '../../schemas/test-environment.js';
import { environmentsOf } from '../../test-environments/environments.js';

export const listTestEnvironments = method({
  name: 'testEnvironments.list',
  summary: 'List the test environments of a workspace, newest first',
  input: z.strictObject({ workspace }),
  output: z.array(testEnvironment),
  permission: { action: 'test-environment:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  run: ({ engine }, { workspace }) => environmentsOf(engine, testWorkspaceOf(workspace)),
});
