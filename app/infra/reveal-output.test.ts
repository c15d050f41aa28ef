import { expect, test } from 'vitest';
import { type Client, clientOver } from '../../client/client.js';
import { failure, kept, withSecretHome, workspace } from '../../test/support/secret-client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { SECRET_ANSWERS } from '../limits/secret-answers.js';
import { createOwner, type Principal } from '../principal.js';

withSecretHome();

const UNTIL = Date.UTC(2026, 10, 30, 20);
const NAME = 'group-share/crew/main/token-1/f00-1796068800';
const asked = { workspace, infra: 'shop', output: 'join-token' };

/** A platform whose worker answers as if a member had made the value. */
function platformOf(principal: Principal = createOwner('ann@desk'), stores: object = { secrets: kept.store }) {
  const requests: unknown[] = [];
  const execute = async (type: string, { args }: { args: object[] }) => {
    requests.push([type, args[0]]);
    await kept.store.within({ workspace, infra: 'shop' }).set(NAME, 'a-value-of-a-member');
    return { secret: NAME, until: UNTIL, made: true };
  };
  const engine = { temporal: { workflow: { execute } }, stores, taskQueue: 'q' } as unknown as Engine;
  const client: Client = clientOver({ ...createDispatcher({ engine, principal, checksAnswers: true }), close: async () => {} });
  return { client, requests };
}

test('the value of a share is read where the secrets are, with when it expires, and the read is recorded', async () => {
  const { client, requests } = platformOf();
  expect(await client.infras.revealOutput(asked)).toEqual({
    ...{ value: 'a-value-of-a-member', until: '2026-11-30T20:00:00.000Z', made: true },
  });
  expect(requests).toEqual([['groupShare', { ...asked, actor: 'ann@desk' }]]);
  expect(await kept.store.within({ workspace, infra: 'shop' }).reads(NAME)).toEqual([
    { at: expect.any(String), by: 'ann@desk', how: 'output' },
  ]);
  expect(SECRET_ANSWERS.has('infras.revealOutput')).toBe(true);
});

test('only who may reveal the secrets of the infra gets one, and for others none is made', async () => {
  const seen: unknown[] = [];
  const may: Principal['may'] = (action, { type, id, infra }) => {
    if (action === 'secret:reveal') seen.push([type, id, infra]);
    return action !== 'secret:reveal';
  };
  const { client, requests } = platformOf({ actor: 'eve@desk', may });
  await expect(client.infras.revealOutput(asked)).rejects.toMatchObject(failure('forbidden'));
  expect([seen, requests]).toEqual([[['Secret', 'default/shop/*', 'shop']], []]);
});

test('none is made where the secrets cannot be read', async () => {
  const { client, requests } = platformOf(undefined, {});
  await expect(client.infras.revealOutput(asked)).rejects.toMatchObject(failure('no-worker'));
  expect(requests).toEqual([]);
});
