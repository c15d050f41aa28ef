import { expect, test } from 'vitest';
import { runLine } from '../../fake-run.js';

const MADE = {
  ...{ place: 'default@prod', workspace: 'default', environment: 'prod', reason: 'incident 42', by: 'ann@desk' },
  ...{ since: '2026-11-30T10:00:00.000Z', isNew: true, paused: ['op-1'] },
};
const freeze = (notHeld: string[]) =>
  runLine('freeze default --env prod --reason incident-42', {
    client: { 'freezes.create': async () => ({ ...MADE, notHeld }) },
  });

test('a freeze of an environment names the infras that it does not hold', async () => {
  const held = 'frozen: environment prod of default\npaused operations: 1\n';
  expect(await freeze(['default/bare', 'default/old'])).toMatchObject({
    code: 0,
    out: `${held}not held, in no environment: default/bare, default/old\n`,
  });
  expect(await freeze([])).toMatchObject({ code: 0, out: held });
});
