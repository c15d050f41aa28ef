import { memoizeByKey } from '../../core/definition/service-order.js';
import type { InventoryChange, InventoryServer } from '../../core/infra/inventory.js';
import type { MachinePlan, ServerChange } from '../../core/operation/machine-plan.js';
import type { Drain } from '../../core/operation/to-undo.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { OperationActivities } from '../activities.js';
import type {
  ActivityUser,
  AnyPhase,
  AttemptRunner,
  CompensationLog,
  DecisionState,
  OmissionLog,
  ProgressView,
  Recording,
} from '../operation/operation.js';
import { interrupts } from '../rollout/rolling-plan.js';
import { listUnusedNetworks, VERBS } from './decide-machines.js';
import { runDrained } from './drained.js';
import { leaveFirst, takeTurn } from './leaving/leaving.js';
import { noteMachineRepair } from './repairs.js';
import { scopeOf } from './scope-of.js';

/** Makes and changes machines. */
export type MakingMachines = AnyPhase &
  Recording &
  ProgressView &
  CompensationLog &
  AttemptRunner &
  OmissionLog &
  DecisionState &
  ActivityUser<'createServer' | 'serverReady' | 'updateServer' | 'deleteServer' | 'planLeave' | 'act'>;

/** Makes what the providers lack and changes what differs, side by side; all but machines whose turn comes later. */
export async function makeMachines(
  operation: MakingMachines & ActivityUser<'createNetwork'>,
  work: WorkScope,
  { servers, networks }: MachinePlan,
  rolls: (change: ServerChange) => boolean,
): Promise<void> {
  const scope = scopeOf(operation);
  for (const { missing, ...network } of networks) {
    const { name, provider } = network;
    if (!missing && operation.inventory.networks[name]) continue;
    const create = async (generation: number) => {
      if (missing) operation.compensations.push({ undo: 'delete-network', network: name, provider });
      const made = await operation.activities.createNetwork({
        scope,
        ...network,
        key: operation.key(`network/${name}`, generation),
      });
      await operation.record({ change: 'network', network: { ...made, since: operation.request.id } });
      if (missing) operation.executed(1);
    };
    const at = { step: `Create the network ${name}`, on: `network/${name}` };
    await operation.continuation.once(at.on, async () => void (await operation.attempt(at, create)));
  }
  const now = servers.filter((change) => change.action !== 'delete' && !rolls(change));
  await runDrained(now.map((change) => () => makeMachine(operation, work, change)));
}

const wantedServers = memoizeByKey((work: WorkScope) => new Map(work.ensureServers.map((server) => [server.name, server])));

/** A machine and its needed change. */
interface Making {
  spec: InventoryServer['spec'];
  change: ServerChange;
  /** As recorded before. */
  known: InventoryServer | undefined;
  title: string;
  /** Drains for the time of the change. */
  drains: Drain[];
}

/**
 * Makes or changes one machine.
 *
 * @param turn the caller has the turn of the machine's groups, until its members serve again
 */
export async function makeMachine(
  operation: MakingMachines,
  work: WorkScope,
  change: ServerChange,
  { ask, drains = [], turn }: { ask?: boolean; drains?: Drain[]; turn?: { isLater: boolean } } = {},
): Promise<void> {
  const full = wantedServers(work).get(change.server);
  if (!full) return;
  const { taskservs: _, ...spec } = full;
  const known = operation.inventory.servers[spec.name];
  const noNetwork = change.action === 'noop' || spec.host ? undefined : operation.leftOut.get(`network/${spec.network}`);
  if (noNetwork) return operation.leaveOut(spec.name, noNetwork);
  const title = `${change.action === 'noop' ? 'Keep the server' : VERBS[change.action]} ${spec.name}`;
  const making = { spec, change, known, title, drains };
  const returns = change.action === 'update' ? ({ returns: true } as const) : {};
  const { server } = change;
  const make = (isLater: boolean) =>
    operation.attempt({ step: title, on: spec.name, ask }, (generation) => {
      const run = () => attemptMachine(operation, making, generation);
      return interrupts(change) ? leaveFirst(operation, work, { server, isLater, ...returns }, run) : run();
    });
  const inTurn = () => (interrupts(change) && !turn ? takeTurn(operation, work, { server }, make) : make(turn?.isLater ?? false));
  await operation.continuation.once(`machine/${spec.name}`, async () => void (await inTurn()));
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
    noteMachineRepair(operation, making);
    operation.executed(1);
    operation.show({ server: spec.name, state: 'done', step: title });
  }
}

type Made = Pick<InventoryServer, 'id' | 'connection' | 'devices'>;

/** A machine as the inventory records it. */
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
  operation: ProgressView & ActivityUser<'serverReady'>,
  asked: Parameters<OperationActivities['serverReady']>[0],
): Promise<Made> {
  const { name } = asked.spec;
  const there = await operation.activities.serverReady.executeWithOptions({ summary: `Wait for ${name}` }, [asked]);
  operation.noteHostKey(name, there.hostKey);
  return there;
}

/** Takes machines away: the last thing done, and what no rollback brings back. */
export async function deleteMachines(
  operation: Recording &
    ProgressView &
    AttemptRunner &
    AnyPhase &
    DecisionState &
    CompensationLog &
    ActivityUser<'deleteServer' | 'planLeave' | 'act'>,
  work: WorkScope,
): Promise<void> {
  const scope = scopeOf(operation);
  await runDrained(
    work.removeServers.map(({ name, provider, spec, connection }) => async () => {
      const step = `Delete the server ${name}`;
      const remove = async () => {
        operation.show({ server: name, state: 'running', step });
        await operation.activities.deleteServer.executeWithOptions({ summary: step }, [
          { scope, server: name, provider, spec, connection },
        ]);
        await operation.record({ change: 'server-gone', name });
        operation.executed(1);
        operation.show({ server: name, state: 'done', step });
      };
      const attempt = (isLater: boolean) =>
        operation.attempt({ step, on: name }, () => leaveFirst(operation, work, { server: name, isLater }, remove));
      const inTurn = async () => void (await takeTurn(operation, work, { server: name }, attempt));
      await operation.continuation.once(`deleted/${name}`, inTurn);
    }),
  );
}

/** Takes away networks that no server uses any more. */
export async function deleteUnusedNetworks(
  operation: AnyPhase & Recording & ProgressView & AttemptRunner & ActivityUser<'deleteNetwork'>,
): Promise<void> {
  for (const { name, provider } of listUnusedNetworks(operation, () => true)) {
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
