import { listSecrets } from '../../../authoring/secrets/secret-scope.js';
import { inputError, type ProvisioningError } from '../../../core/errors.js';
import { isGenerated } from '../../../core/taskserv/secret-reach.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { environmentKey, type SecretStore } from '../../../stores/secrets.js';
import type { Session } from '../../program/session.js';

interface Asked {
  verb: 'delete' | 'get' | 'rotate' | 'find';
  /** The command, where it is not called like the verb. */
  command?: string;
  name: string;
  scope: string;
}

/** The error for a secret that is not set where a command looked for it, with where else it is. */
export async function unknownSecret(
  session: Session,
  store: SecretStore,
  { verb, command = verb, name, scope }: Asked,
): Promise<ProvisioningError> {
  const kept = await listSecrets(session, store);
  const elsewhere = kept.find((one) => one.name === name);
  const option = elsewhere?.scope === 'infra' ? `--infra ${elsewhere.infra}` : elsewhere?.scope === 'shared' ? '--shared' : '';
  const isInEnvironment = verb === 'get' && session.env[environmentKey(name)] !== undefined;
  const isOthers = isGenerated(name) && (await store.list()).includes(name);
  return inputError({
    code: 'unknown-secret',
    what: `${verb} the secret`,
    on: name,
    why: isOthers ? 'it was generated for another workspace' : `the secret is not set for ${scope}`,
    hint: isOthers
      ? `provisioning secret ${command} ${name} --workspace ${name.split('/')[1]}`
      : elsewhere
        ? `provisioning secret ${command} ${name} ${option}`.trim()
        : isInEnvironment
          ? `${environmentKey(name)} of this environment sets it: provisioning secret ${verb} ${name} --shared`
          : didYouMean(name, new Set(kept.map((one) => one.name))),
  });
}
