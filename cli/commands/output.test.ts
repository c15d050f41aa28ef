import { expect, test } from 'vitest';
import { emptyInventory } from '../../core/infra/inventory.js';
import { fakeSession } from '../fake-session.js';
import { command } from './output.js';

const VALUE = 'a-value-of-a-member';
const outputs = {
  url: { parts: ['http://', 'shop'] },
  password: { secret: 'redis-password' },
  'join-token': { description: 'For other machines', share: 'token', taskserv: 'crew', group: 'main' },
};

/** Runs the command for an infra with these outputs. */
async function run(args: string[], flags: object = {}, json = false) {
  const asked: unknown[] = [];
  const inventory = {
    ...emptyInventory({ workspace: 'default', infra: 'shop', uuid: 'u' }),
    definition: { servers: [], outputs },
  } as never;
  const client = {
    'infras.list': async () => ['shop'],
    'infras.inventory': async () => inventory,
    'infras.revealOutput': async (input: unknown) => {
      asked.push(input);
      return { value: VALUE, until: '2026-11-30T20:00:00.000Z', made: true };
    },
  };
  const session = fakeSession({ json, client });
  const refused = await command
    .run(session, { args, flags, rest: [] } as never)
    .then(() => undefined)
    .catch((error) => error.details);
  return { out: session.said(), err: session.complained(), asked, refused };
}

test('a share is listed by the command that reveals it, and its value is got from no member', async () => {
  const all = await run([]);
  expect(all.out).toMatch(/join-token +provisioning output join-token --infra shop --reveal\n/);
  const one = await run(['join-token']);
  expect(one.out).toBe('provisioning output join-token --infra shop --reveal\n');
  const share = { name: 'token', taskserv: 'crew', group: 'main' };
  const listed = await run([], {}, true);
  expect(JSON.parse(listed.out).outputs['join-token']).toEqual({ description: 'For other machines', share });
  const named = await run(['join-token'], {}, true);
  expect(JSON.parse(named.out)).toEqual({ name: 'join-token', description: 'For other machines', share });
  for (const { asked, out, err } of [all, one, listed, named]) {
    expect(asked).toEqual([]);
    expect(out + err).not.toContain(VALUE);
  }
});

test('with --reveal its value is printed, and when it expires beside it', async () => {
  const shown = await run(['join-token'], { reveal: true });
  expect([shown.out, shown.err]).toEqual([`${VALUE}\n`, 'valid until 2026-11-30T20:00:00.000Z\n']);
  expect(shown.asked).toEqual([{ workspace: 'default', infra: 'shop', output: 'join-token' }]);
  const { out } = await run(['join-token'], { reveal: true }, true);
  expect(JSON.parse(out)).toMatchObject({ value: VALUE, until: '2026-11-30T20:00:00.000Z', made: true });
});

test('--reveal needs a name, shows a value as it is, and names the command for a secret', async () => {
  expect((await run([], { reveal: true })).refused).toMatchObject({ code: 'bad-arguments', why: 'no output is named' });
  expect((await run(['url'], { reveal: true })).out).toBe('http://shop\n');
  const secret = await run(['password'], { reveal: true });
  expect(secret.refused).toMatchObject({ code: 'bad-arguments', hint: 'provisioning secret get redis-password --reveal' });
  expect(secret.asked).toEqual([]);
});
