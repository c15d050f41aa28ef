type Map = Record<string, unknown>;

const isMap = (value: unknown): value is Map => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keys by which a map is a definition, a part of one, or a batch. */
const OURS = ['infra', 'servers', 'taskservs', 'networks', 'operations', 'include'];

/**
 * Finds the definition in the result of a KCL or Nickel program. The result is a definition or a batch, has one under
 * a single name, or has the shape of the originals (docs/use/languages.md has the table). Pure. Unknown parts stay as
 * they are, so the schema reports them.
 */
export function definitionIn(made: unknown): unknown {
  if (!isMap(made)) return made;
  if (isMap(made.settings)) return infraOf(made.settings, made);
  if (isMap(made.batch_workflow)) return batchOf(made.batch_workflow);
  if (isMap(made.server) && typeof made.server.name === 'string') return infraOfServer(made.server);
  if (OURS.some((key) => Object.hasOwn(made, key))) return isMap(made.infra) ? infraOf(made, {}) : made;
  const entries = Object.values(made);
  const [only] = entries;
  return entries.length === 1 && isMap(only) && OURS.some((key) => Object.hasOwn(only, key)) ? definitionIn(only) : made;
}

/** `settings = { infra = { name, … }, servers, taskservs }` */
function infraOf({ infra, ...rest }: Map, { settings: _, ...beside }: Map): Map {
  const { name, ...own } = isMap(infra) ? infra : { name: infra };
  return { infra: name, ...own, ...rest, ...beside };
}

/** `server = { name, plan, provider }`: an infra of its name with this one server. */
const infraOfServer = (server: Map): Map => ({ infra: server.name, servers: [server] });

/** `batch_workflow = { name, parallel_limit, rollback_enabled, operations }` */
function batchOf({ name, parallel_limit, rollback_enabled, version: _, operations, ...rest }: Map): Map {
  return {
    batch: typeof name === 'string' ? nameOf(name) : 'batch',
    ...(parallel_limit === undefined ? {} : { parallel: parallel_limit }),
    ...(typeof rollback_enabled === 'boolean' ? { onFailure: rollback_enabled ? 'rollback' : 'keep' } : {}),
    ...rest,
    operations: Array.isArray(operations) ? operations.map(operationOf) : operations,
  };
}

/** `server_batch`, `taskserv_batch` and `cluster` are kinds of this platform. */
function operationOf(operation: unknown): unknown {
  if (!isMap(operation)) return operation;
  const { id, type, dependencies, cluster, ...rest } = operation;
  return {
    name: typeof id === 'string' ? nameOf(id) : id,
    kind: typeof type === 'string' ? type.replace(/_batch$/, '') : type,
    ...(cluster === undefined ? {} : { infra: cluster }),
    ...(Array.isArray(dependencies) && dependencies.length > 0
      ? { needs: dependencies.map((one) => (typeof one === 'string' ? nameOf(one) : one)) }
      : {}),
    ...rest,
  };
}

/** Names of this platform have dashes. */
const nameOf = (name: string): string => name.replaceAll('_', '-').toLowerCase();
