import { expect, test } from 'vitest';
import { ProvisioningError } from '../../core/errors.js';
import type { HostScripts } from './host-scripts.js';
import { MOST_SESSIONS, reserveSessions } from './reserve-sessions.js';

const scripts = (): HostScripts => ({ open: () => Promise.reject(new Error('not opened')) });
const refusal = (reserve: () => unknown) => {
  try {
    reserve();
  } catch (error) {
    return error instanceof ProvisioningError ? error.details : error;
  }
};

test('a worker follows so many servers at a time, and as many again once readers leave', () => {
  const worker = scripts();
  const free = reserveSessions(worker, 'web', MOST_SESSIONS - 1);
  reserveSessions(worker, 'api', 1);
  expect(refusal(() => reserveSessions(worker, 'shop', 1))).toMatchObject({
    ...{ code: 'logs-limited', on: 'shop', blame: 'weather' },
    why: expect.stringContaining(`${MOST_SESSIONS} are followed now, and this needs 1 more`),
  });
  // Another worker has its own.
  reserveSessions(scripts(), 'shop', MOST_SESSIONS);
  free();
  free();
  reserveSessions(worker, 'shop', MOST_SESSIONS - 1);
  expect(refusal(() => reserveSessions(worker, 'web', 1))).toMatchObject({ code: 'logs-limited' });
});

test('an application with too many servers is told to name some', () => {
  expect(refusal(() => reserveSessions(scripts(), 'web', MOST_SESSIONS + 1))).toMatchObject({
    hint: 'name fewer servers (--server)',
  });
});
