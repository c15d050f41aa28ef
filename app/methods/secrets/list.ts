import * as z from 'zod';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { workspace } from '../../schemas/ids.js';
import { listedSecret } from '../../schemas/secret.js';
import { listSecrets } from '../../secret/chosen-secret.js';

/** Secrets of one name, in this order. */
const SCOPES = ['account', 'workspace', 'infra', 'shared'];

export const listTheSecrets = list({
  name: 'secrets.list',
  summary: 'List secret names and scopes of a workspace, without values',
  input: z.strictObject({ workspace, ...namedFields }),
  item: listedSecret,
  pages: {},
  permission: { action: 'secret:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: ['secret-scope'],
  async run({ engine }, { workspace, ...asked }) {
    return pageByKey(['secrets.list', workspace], await listSecrets(engine, workspace), {
      asked,
      keyOf: ({ name, scope, infra = '' }) => [name, SCOPES.indexOf(scope), infra].join('\0'),
      nameOf: ({ name }) => name,
    });
  },
});
