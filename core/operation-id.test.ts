import { expect, test } from 'vitest';
import { isPreviewId, operationId, previewIdOf } from './operation-id.js';

const request = (id: string) => ({ id, kind: 'taskserv', intent: { verb: 'ensure' } });

test('the preview of a request has an id of its own, which follows from the id of the request', () => {
  expect(previewIdOf(request('taskserv-ensure-shop-1'))).toBe('taskserv-check-shop-1');
  expect(previewIdOf(request('mine'))).toBe('taskserv-check-mine');
  const id = operationId('taskserv', 'ensure', 'shop');
  expect([isPreviewId(id), isPreviewId(previewIdOf(request(id)))]).toEqual([false, true]);
});

test('a preview is its own preview', () => {
  expect(previewIdOf(request('taskserv-check-shop-1'))).toBe('taskserv-check-shop-1');
});

test('it is never longer than an id may be, and keeps the end of the id', () => {
  const id = `${'x'.repeat(199)}1`;
  expect([previewIdOf(request(id)).length, previewIdOf(request(id)).endsWith('x1')]).toEqual([200, true]);
});
