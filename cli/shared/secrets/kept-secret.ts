import { type Chosen, chooseScope, isKept } from '../../../authoring/secrets/secret-scope.js';
import { isGenerated } from '../../../core/taskserv/secret-reach.js';
import { checkSecretName, type SecretStore } from '../../../stores/secrets.js';
import type { Session } from '../../program/session.js';
import { unknownSecret } from './unknown-secret.js';

/**
 * The scope in which a command is about a secret that is kept.
 *
 * @param command as it is typed behind `secret`
 * @throws an input error `unknown-secret` where it is not kept there, or was generated for another workspace
 */
export async function keptSecret(
  session: Session,
  store: SecretStore,
  name: string,
  flags: { infra?: string; shared?: boolean },
  command: string,
): Promise<Chosen> {
  checkSecretName(name);
  const chosen = await chooseScope(session, store, name, flags);
  const isOurs = !isGenerated(name) || name.split('/')[1] === session.workspace;
  if (isOurs && (await isKept(session, store, name, chosen, flags.infra))) return chosen;
  throw await unknownSecret(session, store, { verb: 'find', command, name, scope: chosen.scope });
}
