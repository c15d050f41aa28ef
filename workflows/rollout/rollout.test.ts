import { describe, expect, it } from 'vitest';
import { countShare, type UpdateSettings, updatePolicy } from '../../core/operation/rolling.js';
import { Rollout, type Target } from './rollout.js';

const servers = (count: number) => Array.from({ length: count }, (_, index) => `web-${index + 1}`);
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Lets all of them ask at once; each stays inside until it must leave. */
function play(count: number, settings: UpdateSettings, { broken = [] as string[], taskservs = ['nginx'] } = {}) {
  const policy = updatePolicy(settings);
  const targets = taskservs.flatMap((taskserv) => servers(count).map((server) => ({ server, taskserv })));
  const rollout = new Rollout(
    count,
    targets.map((target) => ({ ...target, policy, broken: broken.includes(target.server) })),
  );
  const inside = new Set<string>();
  const name = ({ server, taskserv }: Target) => (taskservs.length > 1 ? `${server}/${taskserv}` : server);
  const enter = (target: Target) => void rollout.enter(target, policy).then(() => inside.add(name(target)));
  const leave = async (server: string, taskserv = 'nginx') => {
    inside.delete(name({ server, taskserv }));
    rollout.leave({ server, taskserv });
    await settled();
  };
  for (const target of targets) enter(target);
  return { rollout, inside: () => [...inside], enter, leave, policy };
}

describe('a rollout', () => {
  it('goes wave by wave: the next begins when all of the one before is settled', async () => {
    const { inside, leave, rollout } = play(5, { batch: 2 });
    await settled();
    expect(inside()).toEqual(['web-1', 'web-2']);
    await leave('web-1');
    expect(inside()).toEqual(['web-2']);
    await leave('web-2');
    expect(inside()).toEqual(['web-3', 'web-4']);
    await leave('web-3');
    await leave('web-4');
    expect(inside()).toEqual(['web-5']);
    expect(rollout.place({ server: 'web-3', taskserv: 'nginx' })).toEqual({ wave: 2, of: 3 });
  });

  it('never has more out than allowed, those broken before included; broken ones come first', async () => {
    const { inside, leave } = play(4, { batch: 3, maxUnavailable: 2 }, { broken: ['web-4'] });
    await settled();
    expect(inside()).toEqual(['web-1', 'web-4']);
    await leave('web-4');
    expect(inside()).toEqual(['web-1', 'web-2']);
    await leave('web-1');
    expect(inside()).toEqual(['web-2']);
    await leave('web-2');
    expect(inside()).toEqual(['web-3']);
  });

  it('touches what is broken even when more are out than allowed', async () => {
    const { inside, leave } = play(3, { batch: 1 }, { broken: ['web-2', 'web-3'] });
    await settled();
    expect(inside()).toEqual(['web-2']);
    await leave('web-2');
    expect(inside()).toEqual(['web-3']);
    await leave('web-3');
    expect(inside()).toEqual(['web-1']);
  });

  it('lets nobody begin while one that failed waits for a decision', async () => {
    const { rollout, inside, enter, leave, policy } = play(4, { batch: 2 });
    await settled();
    rollout.hold({ server: 'web-1', taskserv: 'nginx' });
    await leave('web-2');
    enter({ server: 'web-3', taskserv: 'redis' });
    await settled();
    expect(inside()).toEqual(['web-1']);
    expect(await rollout.enter({ server: 'web-1', taskserv: 'nginx' }, policy)).toBe(false);
    await leave('web-1');
    expect(inside().sort()).toEqual(['web-3', 'web-4']);
  });

  it('lets in what was not planned as soon as there is room, whichever wave is at work', async () => {
    const { inside, enter, leave } = play(3, { batch: 1, maxUnavailable: 2 });
    await settled();
    enter({ server: 'web-3', taskserv: 'redis' });
    await settled();
    expect(inside()).toEqual(['web-1', 'web-3']);
    enter({ server: 'web-2', taskserv: 'redis' });
    await settled();
    expect(inside()).toEqual(['web-1', 'web-3']);
    await leave('web-1');
    expect(inside()).toEqual(['web-3', 'web-2']);
  });

  it('finishes one taskserv before the next', async () => {
    const { inside, leave } = play(2, { batch: 1 }, { taskservs: ['nginx', 'redis'] });
    const order: string[] = [];
    await settled();
    for (let turn = 0; turn < 4; turn++) {
      const [one = '/'] = inside();
      expect(inside()).toHaveLength(1);
      order.push(one);
      await leave(...(one.split('/') as [string, string]));
    }
    expect(order).toEqual(['web-1/nginx', 'web-2/nginx', 'web-1/redis', 'web-2/redis']);
  });
});

it('counts shares down, and at least one', () => {
  expect([countShare('25%', 3), countShare('25%', 9), countShare('100%', 4), countShare(5, 3), countShare('1%', 500)]).toEqual([
    1, 2, 4, 3, 5,
  ]);
});

it('lays settings over each other; what may be out follows the wave', () => {
  expect(updatePolicy()).toEqual({ strategy: 'rolling', batch: '25%', maxUnavailable: '25%', pauseOnFailure: false });
  expect(updatePolicy({ batch: 1, maxUnavailable: 2 }, undefined, { batch: '50%' })).toMatchObject({
    batch: '50%',
    maxUnavailable: 2,
  });
  expect(updatePolicy({ batch: 2 })).toMatchObject({ maxUnavailable: 2 });
});
