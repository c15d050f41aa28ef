import { ProvisioningError } from '../../core/errors.js';
import type { SecretScope } from '../../core/taskserv/secret-reach.js';
import { registries } from '../../definition/registries/registries.js';
import { faultOfPair, type PairFault } from '../../definition/services/certificate-pair.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import { checkSecretScope } from '../../stores/secrets.js';
import type { Engine } from '../engine.js';
import { requireSecretStore } from './chosen-secret.js';

/** A part of a pair: the name of a secret, or its value if only the caller has it. */
export type PairPart = { name: string } | { value: string };

/**
 * Checks certificates and their keys, if both values are known. Values are not returned.
 *
 * @returns a fault with the index of its pair, for each pair that no service can use
 * @throws inputError `secret-scope`
 */
export async function findPairFaults(
  engine: Engine,
  infra: Required<SecretScope>,
  pairs: readonly { certificate: PairPart; key: PairPart }[],
): Promise<(PairFault & { pair: number })[]> {
  checkSecretScope(infra);
  const { providers } = await registries();
  const kept = infraSecrets(requireSecretStore(engine), infra, providers, () => ({ operation: '', host: '' }));
  const read = async (part: PairPart) => ('value' in part ? part.value : kept.get(part.name).catch(leaveOut));
  const faults: (PairFault & { pair: number })[] = [];
  for (const [pair, parts] of pairs.entries()) {
    const [certificate, key] = [await read(parts.certificate), await read(parts.key)];
    const fault = certificate !== undefined && key !== undefined && faultOfPair({ certificate, key });
    if (fault) faults.push({ pair, ...fault });
  }
  return faults;
}

/** Whether a definition may use the secret is reported elsewhere. */
function leaveOut(error: unknown): undefined {
  if (!(error instanceof ProvisioningError) || error.details.blame !== 'user') throw error;
}
