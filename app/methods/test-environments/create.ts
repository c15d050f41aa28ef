import { testWorkspaceOf } from '../../../core/names.js';
import { requests } from '../../../core/schema/requests.js';
import { method } from '../../method.js';
import { testEnvironment } from '../../schemas/test-environment.js';
import { beginEnvironment } from '../../test-environments/environments.js';

export const createTestEnvironment = method({
  name: 'testEnvironments.create',
  summary:
    'Start the timer that removes a test environment, and return its workspace; applying a definition there creates the hosts',
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
