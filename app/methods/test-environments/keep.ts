import * as z from 'zod';
import { testWorkspaceOf } from '../../../core/names.js';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';
import { keepEnvironment } from '../../test-environments/environments.js';

export const keepTestEnvironment = method({
  name: 'testEnvironments.keep',
  summary: 'Keep a test environment until its time is over, even if the process that created it ends',
  input: z.strictObject({ ...infra }),
  output: z.void(),
  permission: {
    action: 'test-environment:keep',
    resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${testWorkspaceOf(workspace)}/${infra}` }),
  },
  errors: ['unknown-environment'],
  run: ({ engine, principal: { actor } }, { workspace, infra }) =>
    keepEnvironment(engine, testWorkspaceOf(workspace), infra, { actor }),
});
