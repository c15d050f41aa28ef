import { cancellationSignal } from '@temporalio/activity';
import type { ServerSpec, TaskservSpec } from '../../core/definition/definition.js';
import { topologicalOrder } from '../../core/definition/graph.js';
import { fingerprint } from '../../core/encoding/hash.js';
import { inputError } from '../../core/errors.js';
import type { Facts } from '../../core/host/facts.js';
import { type HostNames, movedNames, namesIn, namesOnHost, namesStep } from '../../core/host/host-names.js';
import { privateAddressOf } from '../../core/host/listening.js';
import type { SimulatedHost } from '../../core/host/simulated-host.js';
import type { Step } from '../../core/host/step.js';
import { type HostVolume, VOLUMES, volumeOnHost, volumeSteps } from '../../core/host/volume-mounts.js';
import type { Connection, Scope } from '../../core/machine/provider.js';
import type { AnyTaskserv, HostContext, Peer } from '../../core/taskserv/taskserv.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import type { Dependencies } from '../dependencies.js';
import { foundOf } from '../host/look/found.js';
import { verdict } from '../host/look/health.js';
import { absentValues, look } from '../host/script/look.js';
import { revealerFor } from '../host/script/revealing.js';
import { sayFirstSeen } from '../host/ssh/say-first-seen.js';
import type { ConnectionOf } from '../machine/provider-connections.js';

export interface DecideInput {
  scope: Scope;
  server: Pick<ServerSpec, 'name' | 'role' | 'plan' | 'provider'> & Pick<HostContext, 'existing'>;
  /** Absent: the host does not exist yet, and the steps are those expected. */
  connection?: Connection;
  /** Taskservs to be there, in dependency order. */
  ensure: TaskservSpec[];
  /** Taskservs to be taken away, with the configuration they were installed with. */
  remove: { taskserv: string; config: unknown }[];
  peers: readonly Peer[];
  /** What the host must know of others by name, where nobody else tells it. */
  names?: HostNames;
  /** What the host is to mount. */
  volumes?: HostVolume[];
}

export interface DecidedService {
  taskserv: string;
  remove?: true;
  /** What is still to be done; empty when nothing is. */
  steps: Step[];
  /** The version found on the host. */
  installed?: string;
  healthy: boolean;
  /** Why it is not healthy. */
  why?: string;
  /** Said by the first: the host's key was pinned by this look as it was shown, with its fingerprint. */
  hostKey?: string;
}

/** Free space below which nothing is begun. */
const NEEDED_MIB = 64;

/**
 * Looks at one host and decides: for each taskserv the steps still to be done,
 * and whether it is healthy now. Removals come first in the answer, dependants
 * before what they depend on; then, where something is to be done for them, the volumes.
 */
export function createDecide(dependencies: Dependencies & { connectionOf: ConnectionOf }) {
  const { taskservs } = dependencies;
  return async function decide(input: DecideInput): Promise<DecidedService[]> {
    const wanted = input.ensure.map((spec) => ({ spec, taskserv: taskservOf(taskservs, spec.name) }));
    const unwanted = removalOrder(taskservs, input.remove);
    const { connection } = input;
    if (connection && connection.kind !== 'demo') return onHost(dependencies, { ...input, connection }, wanted, unwanted);
    const host = connection && (await dependencies.connectionOf(input.server.provider)).host?.(connection.server);
    return expected(input, host, wanted, unwanted);
  };
}

type Wanted = { spec: TaskservSpec; taskserv: AnyTaskserv }[];
type Unwanted = ReturnType<typeof removalOrder>;

/** What is known of a host before it was looked at. */
const guessOf = (input: DecideInput) =>
  contextOf(input, { os: 'debian', arch: 'amd64', cores: input.server.plan.cores, memoryMiB: input.server.plan.memoryMiB });

/** The steps of a host that does not exist yet, or is simulated: that one knows what it has executed. */
async function expected(
  input: DecideInput,
  host: SimulatedHost | undefined,
  wanted: Wanted,
  unwanted: Unwanted,
): Promise<DecidedService[]> {
  const context = guessOf(input);
  const services: DecidedService[] = [];
  for (const { config, taskserv } of unwanted) {
    const executed = (await host?.executed(taskserv.name)) ?? [];
    const facts = absentValues(taskserv.facts(config)) as never;
    const steps =
      executed.length === 0
        ? []
        : [...taskserv.remove(config, facts), { title: `Forget ${taskserv.name}`, run: 'true', undo: 'true' }];
    services.push({ taskserv: taskserv.name, remove: true, steps, healthy: true });
  }
  for (const { spec, taskserv } of wanted) {
    const executed = new Set(await host?.executed(spec.name));
    const found = absentValues(taskserv.facts(spec.config)) as never;
    const steps = taskserv
      .plan(spec.config, found, { ...context, version: spec.version })
      .filter((step: Step) => !executed.has(fingerprint(step)));
    const healthy = host !== undefined && (await host.healthy(spec.name));
    services.push({
      taskserv: spec.name,
      steps,
      healthy,
      installed: healthy && steps.length === 0 ? spec.version : undefined,
      why: healthy ? undefined : 'not installed yet',
    });
  }
  return services;
}

/** The steps of a host that is there, from one look at it. */
async function onHost(
  { transports, secrets, providers, logs }: Dependencies,
  input: DecideInput & { connection: Connection },
  wanted: Wanted,
  unwanted: Unwanted,
): Promise<DecidedService[]> {
  const place = { scope: input.scope, server: input.server.name, connection: input.connection };
  const revealer = await revealerFor(
    [...input.ensure.map(({ config }) => config), ...input.remove.map(({ config }) => config)],
    infraSecrets(secrets, input.scope, providers),
  );
  const guess = guessOf(input);
  const checks = wanted.map(({ spec, taskserv }) => taskserv.health(spec.config, guess));
  const facts: Facts[] = [
    ...unwanted.map(({ config, taskserv }) => taskserv.facts(config)),
    ...wanted.map(({ spec, taskserv }) => taskserv.facts(spec.config)),
    ...(input.names ? [{ names: namesOnHost }] : []),
    ...(input.volumes ?? []).map((volume) => ({ volume: volumeOnHost(volume) })),
  ];
  const asking = [...unwanted.map(({ taskserv }) => taskserv.name), ...wanted.map(({ spec }) => spec.name)];
  if (input.names) asking.push('names');
  const asked = { facts, services: asking, health: checks.flat() };
  const seen = await look(transports, place, asked, revealer, cancellationSignal());
  const context = contextOf(input, seen);
  for (const { taskserv } of wanted) refuseUnsupported(taskserv, context.host);

  const foundAt = (index: number) => foundOf(facts[index] as Facts, seen.valueOf, revealer.reveal) as never;
  const services: DecidedService[] = unwanted.map(({ config, taskserv }, index) => ({
    taskserv: taskserv.name,
    remove: true,
    steps: taskserv.remove(config, foundAt(index)),
    healthy: true,
  }));
  const volumes = volumeStepsOf(input, seen);
  if (volumes.length > 0) services.push({ taskserv: VOLUMES, steps: volumes, healthy: true });
  const { naming, moved } = namingOf(input, seen);
  let check = 0;
  wanted.forEach(({ spec, taskserv }, index) => {
    const found = foundAt(unwanted.length + index);
    const verdicts = (checks[index] ?? []).map((one) =>
      verdict(one, seen.health[check++] ?? { exit: 1, stdout: '' }, spec.endpoints),
    );
    const why = verdicts.find((text) => text !== undefined);
    const steps = taskserv.plan(spec.config, found, { ...context, version: spec.version, ...(moved.length > 0 ? { moved } : {}) });
    services.push({
      taskserv: spec.name,
      // The first one needs the names, or those after it.
      steps: [...(naming && index === 0 ? [naming] : []), ...steps],
      installed: taskserv.installed(found),
      healthy: why === undefined,
      why: why && revealer.hide(why),
    });
  });
  refuseFull(input, services, seen);
  const hostKey = await sayFirstSeen(transports, logs, place);
  if (hostKey && services[0]) services[0].hostKey = hostKey;
  return services;
}

type Seen = Awaited<ReturnType<typeof look>>;

const volumeStepsOf = ({ server, volumes = [] }: DecideInput, seen: Seen): Step[] =>
  volumes.flatMap((volume) => {
    const asked = volumeOnHost(volume);
    return volumeSteps(server.name, volume, asked.parse(seen.valueOf(asked)));
  });

/** The step that tells the host of the others, and which of them have moved. */
function namingOf({ names }: DecideInput, seen: Seen) {
  const known = names ? namesIn(seen.valueOf(namesOnHost).stdout) : {};
  return { naming: names && namesStep(known, names), moved: movedNames(known, names ?? {}) };
}

function refuseFull({ server }: DecideInput, services: readonly DecidedService[], { freeMiB }: Seen): void {
  if (freeMiB >= NEEDED_MIB || services.every(({ steps }) => steps.length === 0)) return;
  throw inputError({
    code: 'disk-full',
    what: 'prepare the host',
    on: server.name,
    why: `only ${freeMiB} MiB are free below /var, ${NEEDED_MIB} MiB are needed`,
    hint: 'make room on the host, then run it again',
  });
}

export function taskservOf(taskservs: Record<string, AnyTaskserv>, name: string): AnyTaskserv {
  const found = taskservs[name];
  if (!found)
    throw inputError({
      code: 'unknown-taskserv',
      what: 'plan',
      on: name,
      why: 'this worker knows no such taskserv',
      hint: 'a worker of another version? `provisioning up` mends that',
    });
  return found;
}

function contextOf(
  { server, connection, peers }: DecideInput,
  seen: { os: string; arch: string; cores: number; memoryMiB: number },
) {
  const privateAddress = privateAddressOf(server.name, connection, server.existing ?? false);
  const host: HostContext = {
    name: server.name,
    role: server.role,
    os: seen.os,
    arch: seen.arch,
    cores: seen.cores,
    memoryMiB: server.plan.memoryMiB || seen.memoryMiB,
    ...(privateAddress ? { privateAddress } : {}),
    ...(server.existing ? { existing: true } : {}),
  };
  return { host, peers };
}

function refuseUnsupported({ name, supports }: AnyTaskserv, host: HostContext): void {
  const { os = ['debian', 'ubuntu'], arch = ['amd64', 'arm64'] } = supports ?? {};
  for (const [what, value, known] of [
    ['OS', host.os, os],
    ['architecture', host.arch, arch],
  ] as const) {
    if (known.includes(value)) continue;
    throw inputError({
      code: 'unsupported-host',
      what: `install ${name}`,
      on: host.name,
      why: `its ${what} is "${value}", supported are ${known.join(', ')}`,
    });
  }
}

/** Dependants first: the reverse of the order of installation. */
function removalOrder(taskservs: Record<string, AnyTaskserv>, remove: DecideInput['remove']) {
  const rows = remove.map((row) => ({ ...row, taskserv: taskservOf(taskservs, row.taskserv) }));
  const edges = new Map(rows.map(({ taskserv }) => [taskserv.name, [...(taskserv.requires ?? []), ...(taskserv.after ?? [])]]));
  const order = topologicalOrder(edges).reverse();
  return order.flatMap((name) => rows.filter(({ taskserv }) => taskserv.name === name));
}
