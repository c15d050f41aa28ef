import type { SecretMethods } from '../../../client/ask-secrets.js';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import { isGenerated } from '../../../core/taskserv/secret-reach.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { environmentKey } from '../../../stores/secrets.js';
import type { Session } from '../../program/session.js';
import type { NamedPlace } from './secret-place.js';

interface Asked extends NamedPlace {
  /** Command as typed after `secret`. */
  command: string;
  /** Verb of the error message. Default: `find`. */
  verb?: 'delete' | 'find' | 'get';
}

/**
 * Queries one secret. If it is not set, the error names other scopes that have it, with the command for them.
 *
 * @throws inputError `unknown-secret`
 */
export async function askKnown<T>(session: Session, secrets: SecretMethods, asked: Asked, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.code !== 'unknown-secret') throw error;
    throw await unknownSecret(session, secrets, asked, error);
  }
}

async function unknownSecret(
  session: Session,
  secrets: SecretMethods,
  { command, verb = 'find', place: { workspace, name }, scope }: Asked,
  cause: ProvisioningError,
): Promise<ProvisioningError> {
  const kept = await secrets.list({ workspace });
  const elsewhere = kept.find((one) => one.name === name);
  const option = elsewhere?.scope === 'infra' ? `--infra ${elsewhere.infra}` : elsewhere?.scope === 'shared' ? '--shared' : '';
  const isInEnvironment = verb === 'get' && session.env[environmentKey(name)] !== undefined;
  const other = isGenerated(name) ? name.split('/')[1] : workspace;
  const isOthers = other !== undefined && other !== workspace && (await isOf(secrets, other, name));
  return inputError(
    {
      code: 'unknown-secret',
      what: `${verb} the secret`,
      on: name,
      why: isOthers ? 'it was generated for another workspace' : `the secret is not set for ${scope}`,
      hint: isOthers
        ? `provisioning secret ${command} ${name} --workspace ${other}`
        : elsewhere
          ? `provisioning secret ${command} ${name} ${option}`.trim()
          : isInEnvironment
            ? `${environmentKey(name)} of this environment sets it: provisioning secret ${verb} ${name} --shared`
            : didYouMean(name, new Set(kept.map((one) => one.name))),
    },
    { cause },
  );
}

/** Returns whether a workspace has a secret with this name, as far as the user's permissions show. */
const isOf = (secrets: SecretMethods, workspace: string, name: string): Promise<boolean> =>
  secrets.list({ workspace }).then(
    (listed) => listed.some((one) => one.name === name),
    () => false,
  );
