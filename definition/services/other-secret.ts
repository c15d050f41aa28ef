import { isSecretRef, type SecretRef } from '../../core/taskserv/secret.js';
import { Fault } from '../interpolation/expression.js';
import type { OtherSecret } from '../references.js';
import { didYouMean } from '../source/did-you-mean.js';
import { isRecord } from '../source/salvage.js';
import { explainNoTaskserv, type KnownServices, type ServiceReference, serverNamed } from './other-values.js';

/**
 * Resolves a reference to another service's secret. Both services name the same secret, and no value is read.
 *
 * @param note receives the service
 * @throws Fault if the service does not exist or has no secret there
 */
export function resolveOtherSecret(
  { of, path }: OtherSecret,
  known: KnownServices,
  note: (referred: ServiceReference) => void,
): SecretRef {
  const { name, servers } = findServices(of, known);
  const found = servers.map((one) => {
    note({ server: one, taskserv: name });
    const spec = known.spec(one, name);
    // The faults of an invalid configuration are already reported.
    if (spec?.config === undefined) throw new Fault();
    return secretAt(spec.config, path, name);
  });
  const [first] = found;
  if (!first || found.some((one) => one.$secret !== first.$secret))
    throw new Fault(`${found.length} servers have "${name}", each with its own secret`, `name one: ${servers[0]}/${name}`);
  return first;
}

/**
 * Finds the services that `TASKSERV` or `SERVER/TASKSERV` names, on one server or several.
 *
 * @throws Fault if there are none
 */
export function findServices(of: string, known: KnownServices): { name: string; servers: readonly string[] } {
  const [server, name = ''] = of.includes('/') ? of.split('/', 2) : [undefined, of];
  if (server !== undefined) serverNamed(known, server);
  const carriers = known.carriers(name);
  if (carriers.length === 0) throw explainNoTaskserv(known, name);
  if (server !== undefined && !carriers.includes(server))
    throw new Fault(`the server "${server}" has no taskserv "${name}"`, didYouMean(name, known.on(server)));
  return { name, servers: server === undefined ? carriers : [server] };
}

/** @param path keys, positions and names of entries, divided by dots */
function secretAt(config: unknown, path: string, taskserv: string): SecretRef {
  let inside = config;
  for (const key of path.split('.')) {
    const names = namesIn(inside);
    const next = inNamed(inside, key);
    if (next === undefined)
      throw new Fault(`the configuration of "${taskserv}" has no "${path}": there is no "${key}"`, didYouMean(key, names));
    inside = next;
  }
  if (isSecretRef(inside)) return inside;
  const hint =
    isRecord(inside) || Array.isArray(inside)
      ? didYouMean('', namesIn(inside))
      : `write "{{ taskservs.${taskserv}.config.${path} }}"`;
  throw new Fault(`"${path}" of "${taskserv}" is not a secret`, hint);
}

function inNamed(value: unknown, key: string): unknown {
  if (Array.isArray(value))
    return value.find((item) => isRecord(item) && item.name === key) ?? (/^\d{1,4}$/.test(key) ? value[Number(key)] : undefined);
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.map((item, index) => (isRecord(item) && typeof item.name === 'string' ? item.name : String(index)))
    : isRecord(value)
      ? Object.keys(value)
      : [];
