import { expect, test } from 'vitest';
import { unreachableError } from '../../../core/errors.js';
import { createSickness } from './sickness.js';

function clock() {
  let at = 0;
  const sickness = createSickness(() => at);
  const fails = (code: string, ms: number) => async () => {
    at += ms;
    throw unreachableError({ code, what: 'connect by SSH', on: 'web-1', why: 'it says nothing' });
  };
  const attempt = (code = 'ssh-handshake', ms = 10_000) =>
    sickness.watch('web-1', fails(code, ms)).catch((error) => error.details as { final?: true; why: string });
  return {
    sickness,
    attempt,
    pause: (ms: number) => {
      at += ms;
    },
  };
}

test('a host that stays sick is given up before a minute is over', async () => {
  const { attempt, pause } = clock();
  for (const wait of [1_000, 2_000]) {
    expect(await attempt()).not.toHaveProperty('final');
    pause(wait);
  }
  expect(await attempt()).toMatchObject({ final: true, why: 'it says nothing (tried for 33 s)' });
});

test('a connection that comes about ends a sickness, and so does a minute without one', async () => {
  const { sickness, attempt, pause } = clock();
  for (let turn = 0; turn < 3; turn++) await attempt();
  expect(await attempt()).toMatchObject({ final: true });
  await sickness.watch('web-1', async () => 'connected');
  expect(await attempt()).not.toHaveProperty('final');
  pause(61_000);
  expect(await attempt()).not.toHaveProperty('final');
});

test('a host that is down is waited for: it may be starting', async () => {
  const { attempt } = clock();
  for (let turn = 0; turn < 20; turn++) expect(await attempt('host-unreachable')).not.toHaveProperty('final');
});
