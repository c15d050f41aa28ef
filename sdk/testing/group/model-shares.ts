import { lastsLongEnough, listShares } from '../../../core/taskserv/groups/share.js';
import type { AnyTaskserv, Share, Step } from '../../index.js';
import type { Draw } from './draw.js';
import { BrokenPromise, type QuorumWorld, StepFailure } from './world.js';

/** A value that a member made. */
interface ModelShare {
  value: string;
  /** Identity of the group that takes it. */
  group: string;
  /** Seconds of the model. */
  until: number;
}

/** Shares of a group in the model, with a clock of its own. */
export class ModelShares {
  /** Seconds. */
  now = 0;
  /** Kept by the platform, by name. */
  readonly kept = new Map<string, ModelShare>();
  readonly #made = new Map<string, ModelShare>();

  make(group: string, { lifetimeSeconds }: Pick<Share<unknown>, 'lifetimeSeconds'>): ModelShare {
    const value = `share-${this.#made.size}`;
    const made = { value, group, until: this.now + lifetimeSeconds };
    this.#made.set(value, made);
    return made;
  }

  /**
   * The service takes a value.
   *
   * @throws BrokenPromise for one that has expired
   * @throws StepFailure for one of another group
   */
  take(value: string | undefined, group: string): void {
    const made = this.#made.get(value ?? '');
    if (!made || made.until <= this.now) throw new BrokenPromise('a step uses a share that has expired');
    if (made.group !== group) throw new StepFailure('the share is of another group');
  }
}

/** A group whose members share values. */
interface SharingGroup {
  taskserv: AnyTaskserv;
  shares: ModelShares;
  world: QuorumWorld;
  servers: readonly string[];
  draw: Draw;
  log: string[];
  omitted: string | undefined;
}

/** Time passes: mostly little, sometimes more than a share lasts. */
export function passTime({ taskserv, shares, draw, log }: SharingGroup): void {
  const lives = Object.values(taskserv.group?.shares ?? {}).map(({ lifetimeSeconds }) => lifetimeSeconds);
  if (lives.length === 0) return;
  const seconds = draw.below(draw.happens(0.3) ? 2 * Math.max(...lives) : 60);
  shares.now += seconds;
  log.push(`${seconds} seconds pass`);
}

/** For whom values are. */
interface ModelUse {
  /** The host of the step. */
  server: string;
  /** The member that the step takes out of the group. */
  leaving?: string;
}

/** The member that makes a share, as the platform chooses it. One that leaves does it only as the leader that is needed. */
function findModelMaker(
  { world, servers }: SharingGroup,
  { on }: Pick<Share<unknown>, 'on'>,
  { server, leaving }: ModelUse,
): string | undefined {
  const find = (members: readonly string[]) => {
    const serve = members.filter((one) => world.node(one).answers && world.serves(one));
    return serve.find((one) => world.leads(one)) ?? (on === 'leader' ? undefined : serve[0]);
  };
  if (leaving === undefined) return find(servers.filter((one) => one !== server));
  const stay = servers.filter((one) => one !== leaving);
  return find(stay) ?? find([...stay, leaving]);
}

/**
 * Values of the shares that a step refers to, as the platform gets them: a kept one that lasts long enough, else one that a
 * member makes now.
 *
 * @throws StepFailure if no member can make it
 */
export function giveModelShares(stage: SharingGroup, use: ModelUse, step: Step): Record<string, string> {
  const { taskserv, world, shares, omitted, log } = stage;
  return Object.fromEntries(
    listShares(step).map((name) => {
      const share = taskserv.group?.shares?.[name];
      if (!share) throw new Error(`${taskserv.name} has no share "${name}"`);
      const maker = findModelMaker(stage, share, use);
      const group = maker === undefined ? undefined : world.node(maker).data?.group;
      const kept = shares.kept.get(name);
      const isGood =
        kept && (group === undefined || kept.group === group) && lastsLongEnough(share, kept.until * 1_000, shares.now * 1_000);
      if (kept && (isGood || omitted === 'lifetime')) return [name, kept.value];
      if (maker === undefined || group === undefined) throw new StepFailure(`no member can make the share "${name}"`);
      log.push(`  ${maker}: ${share.title}`);
      const made = shares.make(group, share);
      shares.kept.set(name, made);
      return [name, made.value];
    }),
  );
}
