import * as z from 'zod';
import { testWorkspaceOf } from '../../../core/names.js';
import { method } from '../../method.js';
import { infra, why } from '../../schemas/ids.js';
import { endEnvironment } from '../../test-environments/environments.js';

export const removeTestEnvironment = method({
  name: 'testEnvironments.remove',
  summary: 'Remove a test environment: end its operations, and delete all of its resources',
  input: z.strictObject({ ...infra, why }),
  output: z.void(),
  permission: {
    action: 'test-environment:remove',
    resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${testWorkspaceOf(workspace)}/${infra}` }),
  },
  errors: ['environment-not-removed', 'unknown-environment'],
  run: ({ engine, principal: { actor } }, { workspace, infra, why }) =>
    endEnvironment(engine, testWorkspaceOf(workspace), infra, { actor, why }),
});
