import { askSecrets } from '../../client/ask-secrets.js';
import type { Definition } from '../../core/definition/definition.js';
import { isSecretRef, type SecretRef } from '../../core/taskserv/secret.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import type { ExternalValue } from '../../definition/reference-kinds.js';
import { type Path, type Problem, pathText } from '../../definition/source/problem.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { Source } from '../../definition/source/source.js';
import type { Context } from '../context.js';

interface Pair {
  service: string;
  certificate: SecretRef;
  key: SecretRef;
}

/**
 * Returns the problems with certificates and keys of the platform's services, if both values are known: from files
 * beside the definition or from stored secrets. Generated pairs match by construction. The user's and the workspace's
 * own taskservs are skipped: their fields with these names may hold PKCS#12 or a key with a passphrase.
 */
export async function pairProblems(
  context: Context,
  { definition, given, source }: { definition: Definition; given: readonly ExternalValue[]; source: Source },
  values: ReadonlyMap<string, string>,
): Promise<Problem[]> {
  const services = definition.servers.flatMap(({ taskservs }) => taskservs.filter(({ module }) => module === undefined));
  const pairs = services.flatMap(({ name, config }) => pairsIn(name, config));
  const once = new Map(pairs.map((pair) => [`${pair.certificate.$secret}\n${pair.key.$secret}`, pair]));
  if (once.size === 0) return [];
  const { workspace, infra } = definition;
  const all = [...once.values()];
  // Values from beside the file are known only in this process.
  const part = ({ $secret: name }: SecretRef) => (values.has(name) ? { value: values.get(name) as string } : { name });
  const asked = all.map(({ certificate, key }) => ({ certificate: part(certificate), key: part(key) }));
  const faults = await askSecrets(context, (secrets) => secrets.checkPairs({ workspace, infra, pairs: asked }));
  return faults.flatMap(({ pair: index, part: which, why, hint }) => {
    const pair = all[index];
    if (!pair) return [];
    const { path: there, ...place } = placeOf(pair[which].$secret, given, source);
    const message = `"${pair.service}" cannot use the certificate: ${why}`;
    const said = { path: pathText(there), message, ...(hint && { suggestion: hint }) };
    return [{ file: source.file, ...place, ...said, code: 'bad-certificate' }];
  });
}

/** Returns each `certificate` of a configuration with its neighboring `key`. */
function pairsIn(service: string, config: unknown): Pair[] {
  if (Array.isArray(config)) return config.flatMap((one) => pairsIn(service, one));
  if (!isRecord(config) || isSecretRef(config)) return [];
  const { certificate, key } = config;
  const own = isSecretRef(certificate) && isSecretRef(key) && !isGenerated(certificate.$secret) && !isGenerated(key.$secret);
  return [...(own ? [{ service, certificate, key }] : []), ...Object.values(config).flatMap((one) => pairsIn(service, one))];
}

/** Returns the position of a secret in the file. An external value knows its path; a name is searched for. */
function placeOf(name: string, given: readonly ExternalValue[], source: Source) {
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
