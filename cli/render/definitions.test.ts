import { expect, test } from 'vitest';
import { definitionTable } from './definitions.js';

test('which definitions were applied, by whom, and which is in force', () => {
  const row = (hash: string | undefined, operation: string, more = {}) => ({
    ...(hash && { hash }),
    operation,
    actor: 'ada',
    at: '2026-01-01T10:00:00.123Z',
    by: [operation],
    inForce: false,
    ...more,
  });
  const definitions = [
    row('c'.repeat(64), 'batch-web-1', { inForce: true, by: ['batch-web-1', 'batch-web-2', 'batch-web-3'] }),
    row('b'.repeat(64), 'apply-2', { by: [], undone: { operation: 'rollback-1', at: '2026-01-01T11:00:00.000Z' } }),
    row(undefined, 'delete-1'),
  ];
  const text = definitionTable([{ infra: 'shop', definitions }], (_, line) => line);
  expect(text.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['INFRA', '#', 'DEFINITION', 'STATE', 'APPLIED', 'BY', 'OPERATION'],
    ['shop', '1', 'cccccccccccc', 'in force', '2026-01-01T10:00:00Z', 'ada', 'batch-web-1 and 2 more'],
    ['shop', '2', 'bbbbbbbbbbbb', 'rolled back by rollback-1', '2026-01-01T10:00:00Z', 'ada', 'apply-2'],
    ['shop', '3', 'deleted', 'former', '2026-01-01T10:00:00Z', 'ada', 'delete-1'],
    [''],
  ]);
});
