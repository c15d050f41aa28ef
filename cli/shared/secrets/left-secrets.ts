import { askSecrets, type SecretMethods } from '../../../client/ask-secrets.js';
import { isGenerated } from '../../../core/taskserv/secret-reach.js';
import type { Session } from '../../program/session.js';

type ListedSecrets = Awaited<ReturnType<SecretMethods['list']>>;

/** Lists the secrets of an infra by name, both set and generated. */
export const listInfraSecrets = (session: Session, infra: string): Promise<ListedSecrets> =>
  askSecrets(session, async (secrets) => {
    const listed = await secrets.list({ workspace: session.workspace });
    return listed.filter((one) => one.infra === infra);
  });

/** Deletes the secrets of an infra. */
export async function deleteInfraSecrets(session: Session, infra: string): Promise<ListedSecrets> {
  const found = await listInfraSecrets(session, infra);
  const { workspace } = session;
  await askSecrets(session, async (secrets) => {
    for (const { name } of found) await secrets.delete({ workspace, name, ...(!isGenerated(name) && { infra }) });
  });
  return found;
}
