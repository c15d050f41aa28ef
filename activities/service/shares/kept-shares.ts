import { Context } from '@temporalio/activity';
import type { Scope } from '../../../core/machine/call-context.js';
import {
  type GivenShare,
  isShare,
  lastsLongEnough,
  listSecretLines,
  type ShareTimes,
} from '../../../core/taskserv/groups/share.js';
import { infraSecrets } from '../../../secrets/infra-secrets.js';
import type { Dependencies } from '../../dependencies.js';

export type ShareDependencies = Pick<Dependencies, 'secrets' | 'providers'>;

/** A value as it is kept: its name says whose it is, and when it expires. */
interface KeptName {
  name: string;
  /** Tells the group's data from others'. */
  identity: string;
  /** Milliseconds. */
  until: number;
  /** A step failed with it: it is masked until it expires, and given no more. */
  spent: boolean;
}

/** A kept value, and its name in the store. */
export interface KeptShare extends GivenShare {
  name: string;
}

/** The kept values of an infra's shares, or of one of them. */
async function listKept({ secrets }: ShareDependencies, { workspace, infra }: Scope, place?: string): Promise<KeptName[]> {
  const listed = await secrets.listScoped(workspace);
  return listed.flatMap(({ name, infra: of }): KeptName[] => {
    const [, at, identity, seconds, spent] = /^(.+)\/([0-9a-z]+)-([0-9]+)(-spent)?$/.exec(name) ?? [];
    if (of !== infra || !isShare(name) || identity === undefined || (place !== undefined && at !== place)) return [];
    return [{ name, identity, until: Number(seconds) * 1_000, spent: spent !== undefined }];
  });
}

/** Discards the values of an infra's shares that have expired. */
export async function discardExpired(dependencies: ShareDependencies, { workspace, infra, ...scope }: Scope): Promise<void> {
  const place = dependencies.secrets.within({ workspace, infra });
  const kept = await listKept(dependencies, { workspace, infra, ...scope });
  for (const { name } of kept.filter(({ until }) => until <= Date.now())) await place.delete(name);
}

const SWEEP_MS = 60_000;
const swept = new WeakMap<object, Map<string, number>>();

/**
 * Discards expired values once a minute for each infra. Any decision of the infra does it: the group that had them may
 * have been removed.
 */
export async function sweepExpired(dependencies: ShareDependencies, scope: Scope, now = Date.now()): Promise<void> {
  const times = swept.get(dependencies.secrets) ?? new Map<string, number>();
  swept.set(dependencies.secrets, times);
  const infra = `${scope.workspace}/${scope.infra}`;
  const last = times.get(infra);
  if (last !== undefined && Math.abs(now - last) < SWEEP_MS) return;
  for (const [one, at] of times) if (Math.abs(now - at) >= SWEEP_MS) times.delete(one);
  times.set(infra, now);
  await discardExpired(dependencies, scope);
}

/** For whom values are. */
interface Receiver {
  scope: Scope;
  /** The host of the steps. Undefined for a person, whose read is recorded as the value is shown. */
  server: string | undefined;
}

/** The value of a group's data that lasts longest, if it lasts long enough. */
export async function findKept(
  dependencies: ShareDependencies,
  { scope, server }: Receiver,
  { place, share, identity }: { place: string; share: ShareTimes; identity: string },
): Promise<KeptShare | undefined> {
  const now = Date.now();
  const kept = (await listKept(dependencies, scope, place))
    .filter((one) => !one.spent && one.identity === identity && lastsLongEnough(share, one.until, now))
    .sort((one, other) => other.until - one.until);
  const within = dependencies.secrets.within(scope);
  for (const { name, until } of kept) {
    const value = await within.get(name);
    if (value === undefined) continue;
    await noteGiven(dependencies, scope, { server, name, value });
    return { name, value, until };
  }
  return undefined;
}

/**
 * The value of a share for work that needs no other one any more, by which it can be masked and spent. No step begins with
 * it: should one have to after all, the share counts as expired.
 */
export async function findUsed(dependencies: ShareDependencies, scope: Scope, place: string): Promise<KeptShare> {
  const within = dependencies.secrets.within(scope);
  const kept = (await listKept(dependencies, scope, place)).sort((one, other) => other.until - one.until);
  for (const { name, spent } of kept) {
    const value = spent ? undefined : await within.get(name);
    if (value !== undefined) return { name, value, until: 0 };
  }
  return { name: '', value: '', until: 0 };
}

/** Keeps a new value. Those before it stay until they expire: a host may still work with one, and it has to be masked. */
export async function keepShare(
  dependencies: ShareDependencies,
  { scope, server }: Receiver,
  { place, identity, seconds, value }: { place: string; identity: string; seconds: number; value: string },
): Promise<KeptShare> {
  const name = `${place}/${identity}-${seconds}`;
  await dependencies.secrets.within({ workspace: scope.workspace, infra: scope.infra }).set(name, value);
  await noteGiven(dependencies, scope, { server, name, value });
  return { name, value, until: seconds * 1_000 };
}

/** Gives a value to no step any more. It stays masked until it expires. */
export async function spendShare({ secrets }: ShareDependencies, scope: Scope, { name, value }: KeptShare): Promise<void> {
  if (name === '') return;
  const within = secrets.within({ workspace: scope.workspace, infra: scope.infra });
  await within.set(`${name}-spent`, value);
  await within.delete(name);
}

const readOperation = (): string => Context.current().info.workflowExecution?.workflowId ?? '';

/** Hides the value in all output from now on, and records which host gets it. */
async function noteGiven(
  { secrets, providers }: ShareDependencies,
  scope: Scope,
  { server, name, value }: { server: string | undefined; name: string; value: string },
): Promise<void> {
  const { workspace, infra } = scope;
  const operation = readOperation();
  const known = infraSecrets(secrets, scope, providers, () => ({ operation, host: server ?? '' }));
  const mask = await known.mask();
  for (const line of listSecretLines(value)) mask.add(line);
  if (server === undefined) return;
  const read = { at: new Date().toISOString(), by: operation, how: 'operation' as const, host: server, workspace, infra };
  await secrets.within({ workspace, infra }).noteRead(name, read);
}
