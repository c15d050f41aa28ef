import { describe, expect, it } from 'vitest';
import type { Intent, OperationKind } from './operation.js';
import { detailsOf, summaryOf } from './operation-summary.js';

const request = (kind: OperationKind, intent: Intent, check = false) => ({
  id: 'cluster-ensure-shop-1',
  kind,
  workspace: 'default',
  infra: 'shop',
  intent,
  check,
  actor: 'ann@desk',
});

describe('the summary of an operation', () => {
  it.each([
    ['Apply infra shop', request('cluster', { verb: 'ensure', prune: true })],
    ['Preview: Delete infra shop', request('cluster', { verb: 'delete' }, true)],
    ['Apply all servers of infra shop', request('server', { verb: 'ensure' })],
    ['Delete servers web-1, web-2 of infra shop', request('server', { verb: 'delete', servers: ['web-1', 'web-2'] })],
    ['Restart servers web-1 of infra shop', request('server', { verb: 'restart', servers: ['web-1'] })],
    ['Apply taskservs redis of infra shop on hub', request('taskserv', { verb: 'ensure', taskservs: ['redis'], servers: ['hub'] })],
    ['Roll back cluster-ensure-shop-0 on infra shop', request('cluster', { verb: 'rollback', of: 'cluster-ensure-shop-0' })],
  ])('%s', (summary, given) => {
    expect(summaryOf(given)).toBe(summary);
  });

  it('stays short however many servers are named', () => {
    const servers = Array.from({ length: 500 }, (_, index) => `a-server-of-a-rather-long-name-${index}`);
    const summary = summaryOf(request('server', { verb: 'ensure', servers }));
    expect(summary).toContain('and 496 more of infra shop');
    expect(Buffer.byteLength(summary)).toBeLessThan(400);
  });
});

it('the details say who asked and how to follow it', () => {
  const details = detailsOf(request('cluster', { verb: 'ensure' }));
  expect(details).toContain('**ann@desk**');
  expect(details).toContain('`provisioning workflow follow cluster-ensure-shop-1`');
});
