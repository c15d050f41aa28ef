import { testWorkspaceOf } from '../../../core/names.js';
import { requests } from '../../../core/schema/requests.js';
import { method } from '../../method.js';
import { testEnvironment } from '../../schemas/test-environment.js';
import { beginEnvironment } from '../../test-environments/environments.js';

export const createTestEnvironment = method({
  name: 'testEnvironments.create',
  summary:
    'Create the workspace of a test environment, and start the timer that removes it; the hosts are created by applying a definition there',
  input: requests.testEnvironment.omit({ actor: true, ending: true, former: true, continueAfter: true }),
  output: testEnvironment,
  permission: {
    action: 'test-environment:create',
    resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${testWorkspaceOf(workspace)}/${infra}` }),
  },
  errors: ['environment-exists'],
  run: ({ engine, principal: { actor } }, request) =>
    beginEnvironment(engine, { ...request, workspace: testWorkspaceOf(request.workspace), actor }),
});
