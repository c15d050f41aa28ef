import { remembered } from '../../core/definition/service-order.js';
import { inputError } from '../../core/errors.js';
import type { InventoryChange, InventoryServer } from '../../core/infra/inventory.js';
import { LOOK_LASTS_MS, type MachinePlan, type ServerChange } from '../../core/operation/machine-plan.js';
import type { Drain, PlannedStep } from '../../core/operation/operation.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { OperationActivities } from '../activities.js';
import { NotBegun } from '../operation/failures.js';
import type {
  Acting,
  Asked,
  Attempting,
  Compensating,
  Keyed,
  Knowing,
  Recording,
  Resulting,
  Rounds,
  Showing,
  Skipping,
} from '../operation/operation.js';

/** Asks the providers what is there; changes nothing. */
export async function lookAtMachines(
  operation: Asked & Rounds & Knowing & Acting<'planServers'>,
  work: WorkScope,
): Promise<MachinePlan> {
  if (work.ensureServers.length + work.removeServers.length === 0) return { servers: [], networks: [] };
  const plan = lookedEarly(operation) ?? (await askProviders(operation, work));
  // An existing host is adopted once; after that it is simply there.
  const servers = plan.servers.map((change) =>
    change.action === 'adopt' && operation.inventory.servers[change.server] ? { ...change, action: 'noop' as const } : change,
  );
  return { servers, networks: plan.networks };
}

/** What the batch saw on the operation's way, where that is fresh, and about the input that still holds. */
function lookedEarly({ request: { batch }, changes }: Asked & Rounds): MachinePlan | undefined {
  const seen = changes === 0 ? batch?.seen : undefined;
  // The clocks of two machines may differ either way.
  return seen && Math.abs(Date.now() - seen.at) < LOOK_LASTS_MS ? seen : undefined;
}

async function askProviders(operation: Knowing & Acting<'planServers'>, work: WorkScope): Promise<MachinePlan> {
  // One question to each provider: an account may have a queue of its own.
  const providers = [...new Set([...work.ensureServers, ...work.removeServers].map(({ provider }) => provider))];
  const summary = 'Compare the servers with their providers';
  const plans = await Promise.all(
    providers.map((provider) =>
      operation.activities.planServers.executeWithOptions({ summary: providers.length > 1 ? `${summary}: ${provider}` : summary }, [
        {
          scope: scopeOf(operation),
          ensure: work.ensureServers.filter((spec) => spec.provider === provider).map(({ taskservs: _, ...spec }) => spec),
          remove: work.removeServers
            .filter((one) => one.provider === provider)
            .map(({ name, provider, spec }) => ({ name, provider, spec })),
        },
      ]),
    ),
  );
  return { servers: plans.flatMap(({ servers }) => servers), networks: plans.flatMap(({ networks }) => networks) };
}

export const scopeOf = ({ inventory: { workspace, infra, uuid } }: Knowing) => ({ workspace, infra, uuid });

const VERBS: Record<NonNullable<PlannedStep['machine']>, string> = {
  create: 'Create the server',
  adopt: 'Adopt the host',
  update: 'Change the server',
  replace: 'Replace the server',
  delete: 'Delete the server',
  release: 'Let go of the host',
};

/** The lines of the preview that concern machines, in the order in which they are done. */
export function previewMachines(operation: Asked & Knowing, { servers, networks }: MachinePlan, work: WorkScope): PlannedStep[] {
  const existing = new Set(work.removeServers.filter(({ spec }) => spec.host).map(({ name }) => name));
  const lines = servers.flatMap(({ server, action, changes, volumes, stopped }): PlannedStep[] => {
    if (action === 'noop') return [];
    const machine = action === 'delete' && existing.has(server) ? 'release' : action;
    const what = changes.length > 0 ? `: ${changes.join(', ')}` : '';
    const lost = volumes.length > 0 ? ` with its volumes ${volumes.join(', ')}` : '';
    const destructive = machine === 'replace' || machine === 'delete';
    const by = stopped ? operation.inventory.servers[server]?.stopped : undefined;
    const off = by ? ` (${by} stopped it)` : '';
    const title = `${VERBS[machine]} ${server}${lost}${what}${off}`;
    return [{ on: server, title, machine, ...(destructive ? { destructive } : {}) }];
  });
  const missing = networks
    .filter((network) => network.missing)
    .map(({ name }): PlannedStep => ({ on: `network/${name}`, title: `Create the network ${name}` }));
  const gone = new Set(work.removeServers.map(({ name }) => name));
  const unused = unusedNetworks(operation, (name) => !gone.has(name)).map(
    ({ name }): PlannedStep => ({ on: `network/${name}`, title: `Delete the network ${name}` }),
  );
  return [...missing, ...lines.filter((line) => !isLast(line)), ...lines.filter(isLast), ...unused];
}

const isLast = ({ machine }: PlannedStep) => machine === 'delete' || machine === 'release';

/** Refuses what would be lost without anybody having asked for it by name or seen it in a preview. */
export function refuseUnseenDestruction({ request, progress }: Asked & Resulting): void {
  const { allowDestroy } = request;
  const unseen = progress.plan.filter(
    ({ destructive, on }) => destructive && allowDestroy !== true && !(Array.isArray(allowDestroy) && allowDestroy.includes(on)),
  );
  if (unseen.length === 0) return;
  throw inputError({
    code: 'destruction-not-allowed',
    what: 'begin the operation',
    on: unseen.map(({ on }) => on).join(', '),
    why: `this would destroy: ${unseen.map(({ title }) => title).join('; ')}`,
    hint: 'look at it with --check, then allow it with --allow-destroy',
  });
}

/** Makes and changes machines. */
export type MakingMachines = Asked &
  Keyed &
  Recording &
  Showing &
  Compensating &
  Attempting &
  Skipping &
  Acting<'createServer' | 'serverReady' | 'updateServer' | 'deleteServer'>;

/** Makes what the providers lack and changes what differs, side by side; all but machines whose turn comes later. */
export async function makeMachines(
  operation: MakingMachines & Acting<'createNetwork'>,
  work: WorkScope,
  { servers, networks }: MachinePlan,
  rolls: (change: ServerChange) => boolean,
): Promise<void> {
  const scope = scopeOf(operation);
  for (const { missing, ...network } of networks) {
    const { name, provider } = network;
    if (!missing && operation.inventory.networks[name]) continue;
    await operation.attempt({ step: `Create the network ${name}`, on: `network/${name}` }, async (generation) => {
      if (missing) operation.compensations.push({ undo: 'delete-network', network: name, provider });
      const made = await operation.activities.createNetwork({
        scope,
        ...network,
        key: operation.key(`network/${name}`, generation),
      });
      await operation.record({ change: 'network', network: { ...made, since: operation.request.id } });
      if (missing) operation.executed(1);
    });
  }
  const now = servers.filter((change) => change.action !== 'delete' && !rolls(change));
  await drained(now.map((change) => () => makeMachine(operation, work, change)));
}

const wantedServers = remembered((work: WorkScope) => new Map(work.ensureServers.map((server) => [server.name, server])));

/** One machine, and what is to be done to it. */
interface Making {
  spec: InventoryServer['spec'];
  change: ServerChange;
  /** As recorded before. */
  known: InventoryServer | undefined;
  title: string;
  /** How it is taken out of service meanwhile. */
  drains: Drain[];
}

/** Makes or changes one machine. */
export async function makeMachine(
  operation: MakingMachines,
  work: WorkScope,
  change: ServerChange,
  { ask, drains = [] }: { ask?: boolean; drains?: Drain[] } = {},
): Promise<void> {
  const full = wantedServers(work).get(change.server);
  if (!full) return;
  const { taskservs: _, ...spec } = full;
  const known = operation.inventory.servers[spec.name];
  const noNetwork = change.action === 'noop' || spec.host ? undefined : operation.leftOut.get(`network/${spec.network}`);
  if (noNetwork) return operation.leaveOut(spec.name, noNetwork);
  const title = `${change.action === 'noop' ? 'Keep the server' : VERBS[change.action]} ${spec.name}`;
  const making = { spec, change, known, title, drains };
  await operation.attempt({ step: title, on: spec.name, ask }, (generation) => attemptMachine(operation, making, generation));
  // One that is there as it was carries its services on.
  if (change.action === 'update' || change.action === 'noop') operation.leftOut.delete(spec.name);
}

async function attemptMachine(operation: MakingMachines, making: Making, generation: number): Promise<void> {
  const { spec, change, known, title, drains } = making;
  const { activities, request } = operation;
  const scope = scopeOf(operation);
  const input = { scope, spec, key: operation.key(`server/${spec.name}`, generation) };
  const remember = (made: Made, services = known?.services ?? {}, since = request.id) =>
    operation.record(recorded(spec, made, services, since));
  const show = (step: string) => operation.show({ server: spec.name, state: 'running', step });
  if (change.action === 'noop' && change.connection && change.id) {
    const { id, connection, devices } = change;
    // Whose work it is stays: nothing was done to it.
    if (!isAsKnown(making)) await remember({ id, connection, devices }, known?.services, known?.since);
    return operation.show({ server: spec.name, state: 'unchanged' });
  }
  show(title);
  if (change.action === 'update') {
    const out = drains.length > 0 ? { drains } : {};
    if (known) operation.compensations.push({ undo: 'update-server', before: known, ...out });
    await activities.updateServer.executeWithOptions({ summary: title }, [input]);
  } else {
    if (change.action === 'replace') {
      await activities.deleteServer.executeWithOptions({ summary: `Delete the former ${spec.name}` }, [
        { scope, ...formerOf(making), replaced: true },
      ]);
      await operation.record({ change: 'server-gone', name: spec.name });
    }
    // For a host that was there already this means to let go of it: our mark must not keep others out.
    operation.compensations.push({ undo: 'delete-server', server: spec.name, provider: spec.provider });
    const made = await activities.createServer.executeWithOptions({ summary: title }, [input]);
    if (made.ready && request.batch) {
      operation.recordSoon(recorded(spec, made, {}, request.id));
      return finish();
    }
    await remember(made, {});
    show('Wait until it lets us in');
    await remember(await untilReady(operation, { ...input, connection: made.connection }), {});
  }
  if (change.action === 'update') {
    show('Wait until it lets us in');
    await remember(await untilReady(operation, input));
  }
  finish();
  function finish() {
    operation.executed(1);
    operation.show({ server: spec.name, state: 'done', step: title });
  }
}

type Made = Pick<InventoryServer, 'id' | 'connection' | 'devices'>;

/** A machine as the inventory is told of it. */
const recorded = (
  spec: InventoryServer['spec'],
  { id, connection, devices }: Made,
  services: InventoryServer['services'],
  since: string,
): InventoryChange => ({
  change: 'server',
  server: {
    ...{ name: spec.name, provider: spec.provider, id, connection, spec, services, since },
    ...(devices ? { devices } : {}),
  },
});

/** Whether the inventory says of a machine what its provider says. */
function isAsKnown({ spec, known, change: { connection, devices } }: Making): boolean {
  if (!known || known.stopped) return false;
  return JSON.stringify([known.connection, known.spec, known.devices]) === JSON.stringify([connection, spec, devices]);
}

/** The machine that another takes the place of. */
const formerOf = ({ spec, known, change }: Making) => ({
  server: spec.name,
  provider: spec.provider,
  spec: known?.spec ?? spec,
  connection: known?.connection ?? change.connection,
});

async function untilReady(
  operation: Showing & Acting<'serverReady'>,
  asked: Parameters<OperationActivities['serverReady']>[0],
): Promise<Made> {
  const { name } = asked.spec;
  const there = await operation.activities.serverReady.executeWithOptions({ summary: `Wait for ${name}` }, [asked]);
  operation.noteHostKey(name, there.hostKey);
  return there;
}

/** Takes machines away: the last thing done, and what no rollback brings back. */
export async function deleteMachines(
  operation: Recording & Showing & Attempting & Acting<'deleteServer'>,
  work: WorkScope,
): Promise<void> {
  const scope = scopeOf(operation);
  await drained(
    work.removeServers.map(({ name, provider, spec, connection }) => async () => {
      const step = `Delete the server ${name}`;
      await operation.attempt({ step, on: name }, async () => {
        operation.show({ server: name, state: 'running', step });
        await operation.activities.deleteServer.executeWithOptions({ summary: step }, [
          { scope, server: name, provider, spec, connection },
        ]);
        await operation.record({ change: 'server-gone', name });
        operation.executed(1);
        operation.show({ server: name, state: 'done', step });
      });
    }),
  );
}

/** Networks of the inventory that none of the servers kept uses; only an operation on the whole infra takes them away. */
function unusedNetworks({ inventory, request }: Asked & Knowing, isKept: (server: string) => boolean) {
  if (request.kind !== 'cluster') return [];
  const wanted =
    request.intent.verb === 'ensure' ? (request.definition ?? inventory.definition)?.servers.map(({ network }) => network) : [];
  const kept = Object.values(inventory.servers).filter(({ name }) => isKept(name));
  const used = new Set([...kept.map(({ spec }) => spec.network), ...(wanted ?? [])]);
  return Object.values(inventory.networks).filter(({ name }) => !used.has(name));
}

/** Takes away networks that no server uses any more. */
export async function deleteUnusedNetworks(
  operation: Asked & Recording & Showing & Attempting & Acting<'deleteNetwork'>,
): Promise<void> {
  for (const { name, provider } of unusedNetworks(operation, () => true)) {
    const step = `Delete the network ${name}`;
    await operation.attempt({ step, on: `network/${name}` }, async () => {
      await operation.activities.deleteNetwork.executeWithOptions({ summary: step }, [
        { scope: scopeOf(operation), name, provider },
      ]);
      await operation.record({ change: 'network-gone', name });
      operation.executed(1);
    });
  }
}

/** Runs side by side and waits for all, also when one fails: a rollback must not meet work in flight. Throws the first failure. */
export async function drained(work: (() => Promise<void>)[]): Promise<void> {
  const outcomes = await Promise.allSettled(work.map((one) => one()));
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
  if (failed.length > 0) throw failed.find((reason) => !(reason instanceof NotBegun)) ?? failed[0];
}
