import { withSecrets } from '../../../authoring/definition/definitions.js';
import { type ListedSecret, listSecrets } from '../../../authoring/secrets/secret-scope.js';
import { isGenerated } from '../../../core/taskserv/secret-reach.js';
import type { Session } from '../../program/session.js';

/** The secrets of an infra, by their names: those that were set for it, and those that were generated. */
export const secretsOf = (session: Session, infra: string): Promise<ListedSecret[]> =>
  withSecrets(session, async (store) => (await listSecrets(session, store)).filter((one) => one.infra === infra));

/** Deletes the secrets of an infra. */
export async function deleteSecretsOf(session: Session, infra: string): Promise<ListedSecret[]> {
  const secrets = await secretsOf(session, infra);
  await withSecrets(session, async (store) => {
    const own = store.within({ workspace: session.workspace, infra });
    for (const { name } of secrets) await (isGenerated(name) ? store : own).delete(name);
  });
  return secrets;
}
