import { Context } from '@temporalio/activity';
import type { Step } from '../../core/host/step.js';
import type { Scope } from '../../core/machine/call-context.js';
import { encode } from '../../core/taskserv/encoders/encoders.js';
import { isShare } from '../../core/taskserv/groups/share.js';
import { findSecretRefs } from '../../core/taskserv/secret.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import type { Dependencies } from '../dependencies.js';

/**
 * Refuses steps that write a secret in a format that cannot have its value, before any of them runs: a service that
 * was already stopped would not start again. Generated values fit into every format.
 *
 * @throws the input error `secret-not-expressible`
 */
export async function refuseSecrets(
  steps: readonly Step[],
  host: { scope: Scope; server: string },
  { secrets, providers }: Pick<Dependencies, 'secrets' | 'providers'>,
): Promise<void> {
  const written = findSecretRefs(steps).filter((ref) => ref.as !== undefined && !isGenerated(ref.name) && !isShare(ref.name));
  if (written.length === 0) return;
  const reader = () => ({ operation: Context.current().info.workflowExecution?.workflowId ?? '', host: host.server });
  const known = infraSecrets(secrets, host.scope, providers, reader);
  for (const { name, as } of written) {
    const value = await known.get(name);
    if (value !== undefined && as !== undefined) encode(as, value, name);
  }
}
