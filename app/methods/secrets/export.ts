import * as z from 'zod';
import { isCredential, isGenerated } from '../../../core/taskserv/secret-reach.js';
import { registries } from '../../../definition/registries/registries.js';
import { method } from '../../method.js';
import { secretScope, secretsResource } from '../../schemas/secret.js';
import { chooseKeptSecret, listSecrets } from '../../secret/chosen-secret.js';
import { revealSecret } from '../../secret/reveal-secret.js';

export const exportSecrets = method({
  name: 'secrets.export',
  summary: 'Return all secret values of one scope, without generated secrets and credentials; each read is recorded',
  input: z.strictObject(secretScope),
  output: z.record(z.string(), z.string()),
  permission: { action: 'secret:reveal', resource: (scope) => secretsResource(scope, []) },
  errors: ['secret-out-of-reach', 'secret-scope', 'unknown-secret'],
  async run({ engine, principal }, scope) {
    const { providers } = await registries();
    const wanted = scope.shared ? 'shared' : scope.infra === undefined ? 'workspace' : 'infra';
    const names = (await listSecrets(engine, scope.workspace)).filter(
      (one) => one.scope === wanted && one.infra === scope.infra && !isGenerated(one.name) && !isCredential(one.name, providers),
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
