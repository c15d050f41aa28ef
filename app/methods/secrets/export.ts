import * as z from 'zod';
import { isShare } from '../../../core/taskserv/groups/share.js';
import { isGenerated } from '../../../core/taskserv/secret-reach.js';
import { method } from '../../method.js';
import { secretScope, secretsResource } from '../../schemas/secret.js';
import { checkScope, chooseKeptSecret, listSecrets } from '../../secret/chosen-secret.js';
import { revealSecret } from '../../secret/reveal-secret.js';

export const exportSecrets = method({
  name: 'secrets.export',
  summary: 'Return all secret values of one scope, without generated secrets and credentials; each read is recorded',
  input: z.strictObject(secretScope),
  output: z.record(z.string(), z.string()),
  permission: { action: 'secret:reveal', resource: secretsResource },
  rest: { verb: 'POST', path: '/workspaces/{workspace}/export-secrets' },
  errors: ['secret-out-of-reach', 'secret-scope', 'unknown-secret'],
  async run({ engine, principal }, scope) {
    checkScope(scope);
    const wanted = scope.shared ? 'shared' : scope.infra === undefined ? 'workspace' : 'infra';
    // These values were given to a definition beside its file: their names have no meaning elsewhere.
    const isGiven = (name: string) => name.startsWith('given/');
    const names = (await listSecrets(engine, scope.workspace)).filter(
      (one) =>
        one.scope === wanted && one.infra === scope.infra && !isGenerated(one.name) && !isGiven(one.name) && !isShare(one.name),
    );
    const values: [string, string][] = [];
    for (const { name } of names)
      values.push([
        name,
        await revealSecret(await chooseKeptSecret(engine, { ...scope, name }), name, principal.actor, 'secret export'),
      ]);
    return Object.fromEntries(values);
  },
});
