import * as z from 'zod';
import { testWorkspaceOf } from '../../../core/names.js';
import { list, pageFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { workspace } from '../../schemas/ids.js';
import { testEnvironment } from '../../schemas/test-environment.js';
import { queryTestEnvironments } from '../../test-environments/environments.js';

export const listTestEnvironments = list({
  name: 'testEnvironments.list',
  summary: 'List the test environments of a workspace, newest first',
  input: z.strictObject({ workspace, ...pageFields }),
  item: testEnvironment,
  pages: { key: 'infra' },
  permission: { action: 'test-environment:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  async run({ engine }, { workspace, ...asked }) {
    return pageByKey(['testEnvironments.list', workspace], await queryTestEnvironments(engine, testWorkspaceOf(workspace)), {
      asked: { ...asked, sort: 'descending' },
      keyOf: ({ created, infra }) => `${created}\0${infra}`,
    });
  },
});
