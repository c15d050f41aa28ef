import type { Definition } from '../../core/definition/definition.js';
import { ProvisioningError } from '../../core/errors.js';
import { isSecretRef, type SecretRef } from '../../core/taskserv/secret.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import type { Given } from '../../definition/reference-kinds.js';
import { registries } from '../../definition/registries/registries.js';
import { faultOfPair } from '../../definition/services/certificate-pair.js';
import { type Path, type Problem, pathText } from '../../definition/source/problem.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { Source } from '../../definition/source/source.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import type { Context } from '../context.js';
import { useSecrets } from '../definition/definitions.js';

interface Pair {
  service: string;
  certificate: SecretRef;
  key: SecretRef;
}

/**
 * What is wrong with the certificates of the platform's services and their keys, of which both values are known here:
 * those beside the file, and secrets that are kept. A generated pair is made as one. Taskservs of a workspace or a user
 * are left out: their fields of these names may hold PKCS#12, or a key with a passphrase.
 */
export async function pairProblems(
  context: Context,
  { definition, given, source }: { definition: Definition; given: readonly Given[]; source: Source },
  values: ReadonlyMap<string, string>,
): Promise<Problem[]> {
  const services = definition.servers.flatMap(({ taskservs }) => taskservs.filter(({ module }) => module === undefined));
  const pairs = services.flatMap(({ name, config }) => pairsIn(name, config));
  const once = new Map(pairs.map((pair) => [`${pair.certificate.$secret}\n${pair.key.$secret}`, pair]));
  if (once.size === 0) return [];
  const { providers } = await registries();
  return useSecrets(context, async (store) => {
    const kept = infraSecrets(store, definition, providers, () => ({ operation: '', host: '' }));
    const readValue = async ({ $secret: name }: SecretRef) => values.get(name) ?? (await kept.get(name).catch(leaveOut));
    const problems: Problem[] = [];
    for (const { service, ...pair } of once.values()) {
      const [certificate, key] = [await readValue(pair.certificate), await readValue(pair.key)];
      const fault = certificate !== undefined && key !== undefined && faultOfPair({ certificate, key });
      if (!fault) continue;
      const { path: there, ...place } = placeOf(pair[fault.part].$secret, given, source);
      const message = `"${service}" cannot use the certificate: ${fault.why}`;
      const said = { path: pathText(there), message, ...(fault.hint && { suggestion: fault.hint }) };
      problems.push({ file: source.file, ...place, ...said, code: 'bad-certificate' });
    }
    return problems;
  });
}

/** Whether it may be read at all is told elsewhere. */
function leaveOut(error: unknown): undefined {
  if (!(error instanceof ProvisioningError) || error.details.blame !== 'user') throw error;
}

/** Each `certificate` of a configuration that has a `key` beside it. */
function pairsIn(service: string, config: unknown): Pair[] {
  if (Array.isArray(config)) return config.flatMap((one) => pairsIn(service, one));
  if (!isRecord(config) || isSecretRef(config)) return [];
  const { certificate, key } = config;
  const own = isSecretRef(certificate) && isSecretRef(key) && !isGenerated(certificate.$secret) && !isGenerated(key.$secret);
  return [...(own ? [{ service, certificate, key }] : []), ...Object.values(config).flatMap((one) => pairsIn(service, one))];
}

/** Where the file says a secret: a reference to what is beside it knows, a name is looked for. */
function placeOf(name: string, given: readonly Given[], source: Source) {
  const path = given.find((one) => one.name === name)?.path ?? pathTo(name, source.value) ?? [];
  const { path: there = path, ...place } = source.place(path, 'value');
  return { path: there, ...place };
}

function pathTo(name: string, value: unknown, path: Path = []): Path | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value) && (value as { secret?: unknown }).secret === name) return path;
  for (const [key, one] of Object.entries(value)) {
    const found = pathTo(name, one, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found) return found;
  }
  return undefined;
}
