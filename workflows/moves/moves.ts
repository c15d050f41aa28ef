import type { TaskservSpec } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { WorkScope } from '../../core/operation/work-scope.js';

/** A service that moves to another server with its data. */
export interface Move {
  spec: TaskservSpec;
  from: string;
  to: string;
}

/** Servers that have a service by the inventory, and are not to have it by the definition. */
export function listUnwanted({ definition }: Pick<WorkScope, 'definition'>, { servers }: Inventory, taskserv: string): string[] {
  const wanted = new Set(
    definition.servers.filter(({ taskservs }) => taskservs.some(({ name }) => name === taskserv)).map(({ name }) => name),
  );
  return Object.values(servers)
    .filter(({ name, services }) => services[taskserv] && !wanted.has(name))
    .map(({ name }) => name)
    .sort();
}

/**
 * The services whose data moves with this operation: they are new on their server, or a move that did not end left them there.
 *
 * @throws inputError `data-cannot-move` where it is not clear whose data moves, or where the former service stays
 */
export function planMoves(work: WorkScope, inventory: Inventory): Move[] {
  return work.ensureServices.flatMap(({ server, taskservs }) =>
    taskservs.flatMap((spec): Move[] => {
      if (!spec.moveData) return [];
      const former = listUnwanted(work, inventory, spec.name);
      const begun = former.find((name) => inventory.servers[name]?.services[spec.name]?.movesTo === server.name);
      const isKnown = inventory.servers[server.name]?.services[spec.name] !== undefined;
      if (begun === undefined && (isKnown || former.length === 0)) return [];
      const from = begun ?? (former[0] as string);
      const why = whyNot(work, spec, former, from);
      if (why === undefined) return [{ spec, from, to: server.name }];
      throw inputError({
        code: 'data-cannot-move',
        what: 'move the data',
        on: `${spec.name} from ${from} to ${server.name}`,
        ...why,
      });
    }),
  );
}

function whyNot(work: WorkScope, { name }: TaskservSpec, former: readonly string[], from: string) {
  const wanted = work.definition.servers.filter(({ taskservs }) => taskservs.some((one) => one.name === name));
  if (former.length > 1)
    return { why: `it is on ${former.join(', ')}: only one server has data to move`, hint: 'move one server at a time' };
  if (wanted.length > 1)
    return {
      why: `the definition has it on ${wanted.map((one) => one.name).join(', ')}`,
      hint: 'put it on one server, or remove moveData',
    };
  const goes =
    work.removeServices.some(({ server, taskserv }) => server.name === from && taskserv === name) ||
    work.removeServers.some((server) => server.name === from);
  return goes ? undefined : { why: `this operation leaves it on ${from}`, hint: 'apply the whole definition' };
}
