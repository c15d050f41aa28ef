import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { groupShare } from '../../workflows/index.js';
import type { Call } from '../method.js';
import { requireSecretStore } from '../secret/chosen-secret.js';
import { revealSecret } from '../secret/reveal-secret.js';
import { inquire } from '../temporal/inquiry.js';

/**
 * Has a share of a group made that an output names, and reads its value from the store of secrets. The read is recorded
 * before the value is returned.
 *
 * @throws inputError `unknown-infra`, `unknown-output`, `share-not-made`
 */
export async function revealOutput(
  { engine, principal: { actor } }: Pick<Call, 'engine' | 'principal'>,
  request: { workspace: string; infra: string; output: string },
): Promise<{ value: string; until: string; made: boolean }> {
  const { workspace, infra, output } = request;
  // First: a value that cannot be read is not made.
  const secrets = requireSecretStore(engine).within({ workspace, infra });
  const { secret, until, made } = await inquire<typeof groupShare>(
    engine,
    'groupShare',
    { ...request, actor },
    {
      id: `share-${workspace}-${infra}`,
      summary: `Get the output ${output} of ${infra}`,
      attributes: attributesFrom({ workspace, infra, actor, kind: 'group-share' }),
    },
  );
  const value = await revealSecret({ secrets, kept: secret }, secret, actor, 'output');
  return { value, until: new Date(until).toISOString(), made };
}
