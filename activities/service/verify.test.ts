import { expect, test } from 'vitest';
import { modules } from '../../test/support/modules.js';
import type { HostOf } from '../host/host.js';
import { createVerify } from './verify.js';

const verdictOf = (name: string, config: object, why?: string) => {
  const host = { verify: async () => ({ why, installed: () => '1' }) };
  const verify = createVerify({ ownAmong: async () => modules.taskservs, hostOf: (() => host) as unknown as HostOf });
  return verify({
    scope: { workspace: 'w', infra: 'shop', uuid: 'u' },
    server: 'web-1',
    taskserv: { name, version: '1', config, endpoints: [], after: [] },
    peers: [],
    withinMs: 0,
  } as never);
};
const APP = { name: 'notes', processes: { web: { command: './run' } }, release: '1', keep: 1, packages: [], env: {} };

test('of an application that is not healthy, the command that shows its log is named', async () => {
  const why = 'notes answers: http://127.0.0.1:8000/healthz answers 503, not 2xx or 3xx: no database';
  expect(await verdictOf('app', APP, why)).toMatchObject({
    ...{ healthy: false, why },
    hint: 'provisioning app logs notes --server web-1 --infra shop',
  });
  expect(await verdictOf('app', APP)).not.toHaveProperty('hint');
  expect(await verdictOf('redis', { port: 6379 }, why)).not.toHaveProperty('hint');
});
