import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { fingerprint } from '../../core/encoding/hash.js';
import { type ErrorDetails, inputError } from '../../core/errors.js';
import type { Facts } from '../../core/host/facts.js';
import type { Step } from '../../core/host/step.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { Member, Share } from '../../core/taskserv/group.js';
import { formatSharePlace, type GivenShare, isShare, lastsLongEnough, listShares } from '../../core/taskserv/share.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import type { Dependencies } from '../dependencies.js';
import type { HostOf } from '../host/host.js';
import type { ActInput } from './bring.js';
import type { OwnAmong } from './own-modules.js';
import { createPool, knowGroups, type PooledGroup } from './pool-groups.js';
import { describeRecovery } from './quorum.js';

type AnyShare = Share<unknown, Record<string, unknown>>;

/** A share that steps need, and the server on which it is made. */
export interface NeededShare {
  name: string;
  title: string;
  on: string;
}

const refuse = (details: Omit<ErrorDetails, 'blame' | 'code'>): never => {
  throw inputError({ code: 'share-not-made', ...details });
};

/**
 * The shares that planned steps need, for previews: where each is made, as far as that is known. In a group that is to be
 * founded, the first member makes them.
 *
 * @throws inputError `share-not-made` for one that the group does not have
 */
export function findNeededShares(
  groups: readonly PooledGroup[],
  server: string,
  { unit, steps }: { unit: string; steps: readonly Step[] },
): NeededShare[] {
  const group = groups.find(({ asked }) => asked.taskserv === unit);
  return listShares(steps).map((name) => {
    const share = group?.rules.shares?.[name];
    if (!group || !share)
      return refuse({ what: 'plan the steps', on: `${server}/${unit}`, why: `its group has no share "${name}"` });
    const others = group.context.members.filter((one) => one.server !== server);
    const on = findMaker(share, others) ?? others.find(({ state }) => state === 'expected');
    return { name, title: share.title, on: on?.server ?? server };
  });
}

/** The member that makes a share: the leader, or else the first one that serves. */
function findMaker({ on }: Pick<AnyShare, 'on'>, members: readonly Member[]): Member | undefined {
  const serve = members.filter(({ standing }) => standing?.serves);
  return serve.find(({ standing }) => standing?.leads) ?? (on === 'leader' ? undefined : serve[0]);
}

/** A value as it is kept: its name says whose it is, and when it expires. */
interface KeptShare {
  name: string;
  /** Tells the group's data from others'. */
  identity: string;
  /** Milliseconds. */
  until: number;
}

type ShareDependencies = Pick<Dependencies, 'secrets' | 'providers'>;

/** The kept values of an infra's shares, or of one of them. */
async function listKept({ secrets }: ShareDependencies, { workspace, infra }: Scope, place?: string): Promise<KeptShare[]> {
  const listed = await secrets.listScoped(workspace);
  return listed.flatMap(({ name, infra: of }): KeptShare[] => {
    const [, at, identity, seconds] = /^(.+)\/([0-9a-z]+)-([0-9]+)$/.exec(name) ?? [];
    if (of !== infra || !isShare(name) || identity === undefined || (place !== undefined && at !== place)) return [];
    return [{ name, identity, until: Number(seconds) * 1_000 }];
  });
}

/** Discards the values of an infra's shares that have expired. */
export async function discardExpired(dependencies: ShareDependencies, { workspace, infra, ...scope }: Scope): Promise<void> {
  const place = dependencies.secrets.within({ workspace, infra });
  const kept = await listKept(dependencies, { workspace, infra, ...scope });
  for (const { name } of kept.filter(({ until }) => until <= Date.now())) await place.delete(name);
}

/** Shares with their values, and how many of them were made for this. */
export interface GivenShares {
  values: Map<string, GivenShare>;
  made: number;
}

/** Milliseconds in which a member may come to serve, for example after an election, and between two looks. */
const WITHIN_MS = 20_000;
const AGAIN_MS = 2_000;

/** Characters of a value. */
const MOST = 64 * 1024;

type GiverDependencies = ShareDependencies & { ownAmong: OwnAmong; hostOf: HostOf };

/**
 * Gets the values of the shares that steps refer to. One that is kept and lasts long enough is used again. Otherwise a
 * member that serves now makes another one. The value goes from that host to the store and to the host of the steps; it is
 * in no argument, log or answer of an activity.
 *
 * @throws inputError `share-not-made`
 */
export function createGiveShares(
  { ownAmong, hostOf, ...dependencies }: GiverDependencies,
  {
    againMs = AGAIN_MS,
    withinMs = WITHIN_MS,
    ...times
  }: Parameters<typeof createPool>[1] & { againMs?: number; withinMs?: number } = {},
) {
  const pool = createPool(hostOf, times);
  return async function giveShares(input: ActInput): Promise<GivenShares | undefined> {
    const names = listShares(input.steps);
    // Without a machine no script runs, and no step needs a value.
    if (names.length === 0 || !hostOf(input).stream) return undefined;
    const { scope, taskserv, groups = [] } = input;
    const wrong = input.secrets?.find(isShare);
    if (wrong !== undefined) refuse({ what: 'give the share', on: wrong, why: 'a definition cannot refer to a share of a group' });
    const asked = groups.find((one) => one.taskserv === taskserv);
    const [known] = asked ? knowGroups(await ownAmong(scope.workspace, [asked]), [asked]) : [];
    const seen = async () => known && (await pool(scope, [known], '')([]))[0];
    const given: GivenShares = { values: new Map(), made: 0 };
    for (const name of names) {
      const share = known?.group.shares?.[name] as AnyShare | undefined;
      if (!share || !asked) return refuse({ what: 'give the share', on: taskserv, why: `its group has no share "${name}"` });
      const place = formatSharePlace(taskserv, asked.name, name);
      const maker = await awaitMaker(seen, share, { server: input.server, againMs, withinMs });
      const kept = await findKept(dependencies, input, { place, share, maker: maker.at });
      if (kept) {
        given.values.set(name, kept);
        continue;
      }
      if (!maker.at) return refuse({ ...explainMissing(share, name, asked, maker.group), on: input.server });
      given.values.set(
        name,
        await makeShare({ hostOf, dependencies, input }, { name, share, place, at: maker.at, group: maker.group }),
      );
      given.made += 1;
    }
    return given;
  };
}

interface Maker {
  group: PooledGroup | undefined;
  at?: Member;
}

/** Looks until a member can make a share, or the time is over. */
async function awaitMaker(
  look: () => Promise<PooledGroup | undefined>,
  share: AnyShare,
  { server, againMs, withinMs }: { server: string; againMs: number; withinMs: number },
): Promise<Maker> {
  const until = Date.now() + withinMs;
  for (;;) {
    const group = await look();
    const at = findMaker(share, group?.all.filter((one) => one.server !== server) ?? []);
    if (at || Date.now() + againMs > until) return { group, ...(at && { at }) };
    await sleep(againMs);
  }
}

function explainMissing(
  { title, on }: AnyShare,
  name: string,
  { name: group, taskserv }: { name: string; taskserv: string },
  seen?: PooledGroup,
) {
  const serve = seen?.all.filter(({ standing }) => standing?.serves) ?? [];
  return {
    what: `give the share "${name}" (${title})`,
    why: `no ${on === 'leader' && serve.length > 0 ? 'leader' : 'other member'} of the ${taskserv} group "${group}" can make it now`,
    ...(seen && { hint: describeRecovery(seen, serve) }),
  };
}

const identify = (at: Member): string => fingerprint(at.standing?.group ?? '').toLowerCase();

/** The value that lasts longest; where a member that serves tells the group's identity, only of the same data. */
async function findKept(
  dependencies: ShareDependencies,
  { scope, server }: ActInput,
  { place, share, maker }: { place: string; share: AnyShare; maker: Member | undefined },
): Promise<GivenShare | undefined> {
  const now = Date.now();
  const kept = (await listKept(dependencies, scope, place))
    .filter(({ until, identity }) => lastsLongEnough(share, until, now) && (!maker || identity === identify(maker)))
    .sort((one, other) => other.until - one.until);
  const within = dependencies.secrets.within(scope);
  for (const { name, until } of kept) {
    const value = await within.get(name);
    if (value === undefined) continue;
    await noteGiven(dependencies, scope, { server, name, value });
    return { value, until };
  }
  return undefined;
}

const readOperation = (): string => Context.current().info.workflowExecution?.workflowId ?? '';

/** Hides the value in all output from now on, and records who gets it. */
async function noteGiven(
  { secrets, providers }: ShareDependencies,
  scope: Scope,
  { server, name, value }: { server: string; name: string; value: string },
): Promise<void> {
  const { workspace, infra } = scope;
  const operation = readOperation();
  const known = infraSecrets(secrets, scope, providers, () => ({ operation, host: server }));
  (await known.mask()).add(value);
  const read = { at: new Date().toISOString(), by: operation, how: 'operation' as const, host: server, workspace, infra };
  await secrets.within({ workspace, infra }).noteRead(name, read);
}

interface Making {
  name: string;
  share: AnyShare;
  place: string;
  at: Member;
  group: PooledGroup | undefined;
}

async function makeShare(
  { hostOf, dependencies, input }: { hostOf: HostOf; dependencies: ShareDependencies; input: ActInput },
  { name, share, place, at, group }: Making,
): Promise<GivenShare> {
  const { scope, taskserv } = input;
  const asked = group?.asked.members.find(({ server }) => server === at.server);
  const what = `make the share "${name}" of ${taskserv}`;
  const host = asked?.at && hostOf({ ...asked.at, scope });
  if (!group || !host?.stream) return refuse({ what, on: at.server, why: 'the platform cannot run a script there' });
  const from = Date.now();
  const script = share.make(asked?.config, at, group.context);
  const value = await host.stream(script).catch((error: { details?: { code?: string } }) => {
    if (error.details?.code !== 'data-not-moved') throw error;
    // Its messages may have the value in them.
    const why = 'its script failed; what it printed is not shown, since that may have the value in it';
    return refuse({ what, on: at.server, why, hint: `provisioning server ssh ${at.server}` });
  });
  if (value === '' || value.length > MOST || value.includes('\0'))
    return refuse({
      what,
      on: at.server,
      why: value === '' ? 'its script printed nothing' : 'its script printed no text of at most 64 KiB',
    });
  const seconds = Math.floor(from / 1_000) + share.lifetimeSeconds;
  const { workspace, infra } = scope;
  const within = dependencies.secrets.within({ workspace, infra });
  const former = await listKept(dependencies, scope, place);
  const kept = `${place}/${identify(at)}-${seconds}`;
  await within.set(kept, value);
  for (const one of former) if (one.name !== kept) await within.delete(one.name);
  await noteGiven(dependencies, scope, { server: input.server, name: kept, value });
  return { value, until: seconds * 1_000 };
}

/** Whether groups have shares: only their infras can have kept values. */
export const haveShares = (groups: readonly { group: { shares?: Readonly<Record<string, Share<unknown, Facts>>> } }[]): boolean =>
  groups.some(({ group }) => group.shares !== undefined);
