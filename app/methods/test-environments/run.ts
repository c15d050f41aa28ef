import * as z from 'zod';
import { testWorkspaceOf } from '../../../core/names.js';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';
import { testEnvironment, testResult } from '../../schemas/test-environment.js';
import { checkEnvironment } from '../../test-environments/check-environment.js';

export const runTestEnvironment = method({
  name: 'testEnvironments.run',
  summary:
    'Check a test environment, and wait for the results: the health of each service, and whether a second run would change anything. Changes nothing, and runs no scripts',
  input: z.strictObject({
    ...infra,
    servers: z.array(z.string().min(1).max(255)).min(1).optional().describe('Only these servers; default: all'),
    withinMs: z.int().min(1).max(600_000).describe('Milliseconds to wait for each host'),
  }),
  output: z.strictObject({
    environment: testEnvironment,
    passed: z.boolean().describe('Whether no check failed'),
    tests: z.array(testResult).describe('Two checks of each service, by server and name'),
  }),
  permission: {
    action: 'test-environment:run',
    resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${testWorkspaceOf(workspace)}/${infra}` }),
  },
  errors: ['unknown-environment', 'unknown-infra'],
  async run(call, { workspace, ...asked }) {
    const { environment, tests } = await checkEnvironment(call, { workspace: testWorkspaceOf(workspace), ...asked });
    return { environment, passed: !tests.some(({ status }) => status === 'failed' || status === 'error'), tests };
  },
});
