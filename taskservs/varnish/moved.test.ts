import { expect, test } from 'vitest';
import { planOf } from '../../sdk/testing/index.js';
import { varnish } from './varnish.js';

const unit = { active: true, enabled: true, stale: false };
const peers = [{ server: 'web-2', role: 'web', address: 'web-2', taskserv: 'nginx', endpoints: [{ name: 'http', port: 80 }] }];
const installed = { package: { version: '7.1.1-2+deb12u1' }, curl: { version: '7.88.1' }, vcl: 'as planned', dropIn: 'as planned' };
const { config, found, context } = planOf(varnish, { config: {}, peers, facts: { ...installed, unit }, steps: [] });

test('reads its program again once a server behind it has another address', () => {
  expect(varnish.plan(config, found, { ...context, moved: ['web-2'] })).toMatchObject([{ service: { change: 'reload' } }]);
});

test('leaves what is none of its servers alone', () => {
  expect(varnish.plan(config, found, { ...context, moved: ['db-1'] })).toEqual([]);
});
