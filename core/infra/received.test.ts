import { describe, expect, test } from 'vitest';
import type { Definition } from '../definition/definition.js';
import type { OperationRequest } from '../operation/operation.js';
import { hashOf } from './grant.js';
import { buildLockRequest } from './lock-request.js';
import { chooseLater, findSuperseding } from './received.js';

const definition = (name: string): Definition => ({ infra: 'shop', servers: [], networks: [], onFailure: name }) as never;
const older = definition('older');
const newer = definition('newer');
const request: OperationRequest = {
  id: 'cluster-ensure-shop-1',
  kind: 'cluster',
  workspace: 'default',
  infra: 'shop',
  intent: { verb: 'ensure' },
  definition: older,
  actor: 'ada@desk',
};
const EARLY = '2026-01-01T10:00:00.000Z';
const LATE = '2026-01-01T10:00:00.001Z';
const received = { operation: 'cluster-ensure-shop-2', submitted: LATE };
const asked = (more: Partial<OperationRequest> = {}, submitted: string | undefined = EARLY) => ({
  ...buildLockRequest({ ...request, ...more }),
  submitted,
});

describe('an operation is superseded', () => {
  test('by a definition that was submitted later', () => {
    expect(findSuperseding(asked(), { definition: newer }, received)).toEqual(received);
    expect(findSuperseding(asked({ kind: 'server' }), { definition: newer }, received)).toEqual(received);
  });

  test('also where the infra was deleted meanwhile', () => {
    expect(findSuperseding(asked(), {}, received)).toEqual(received);
  });

  const never: [string, Parameters<typeof findSuperseding>][] = [
    ['by one submitted before it', [asked({}, LATE), { definition: newer }, { ...received, submitted: EARLY }]],
    ['by one submitted at the same time', [asked({}, LATE), { definition: newer }, received]],
    ['by its own', [asked({ id: received.operation }), { definition: newer }, received]],
    ['where nothing was received', [asked(), { definition: newer }, undefined]],
    ['where it brings the definition in force', [asked(), { definition: { ...older } }, received]],
    ['where it brings none', [asked({ definition: undefined }), { definition: newer }, received]],
    ['as a preview', [asked({ check: true }), { definition: newer }, received]],
    ['where it does not say when it was submitted', [buildLockRequest(request), { definition: newer }, received]],
  ];
  test.each(never)('not %s', (_, args) => {
    expect(findSuperseding(...args)).toBeUndefined();
  });
});

test('of two definitions the one submitted later counts, whichever came first', () => {
  const early = { operation: 'a', submitted: EARLY };
  const late = { operation: 'b', submitted: LATE };
  expect([chooseLater(undefined, early), chooseLater(early, late), chooseLater(late, early)]).toEqual([early, late, late]);
  expect(hashOf(older)).not.toBe(hashOf(newer));
});
