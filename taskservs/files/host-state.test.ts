import { expect, test } from 'vitest';
import { parseTaken } from './host-state.js';

test('the notes of a host say by entry what was taken in, and by which units', () => {
  const printed = [
    'web:abc',
    'web:restart nginx.service',
    'web:reload a:b.service',
    'web:stop other.service',
    'web:restart',
    'conf:def',
    '',
  ].join('\n');
  expect(parseTaken(printed)).toEqual({
    web: {
      hash: 'abc',
      units: [
        { how: 'restart', unit: 'nginx.service' },
        { how: 'reload', unit: 'a:b.service' },
      ],
    },
    conf: { hash: 'def', units: [] },
  });
  expect(parseTaken('')).toEqual({});
});
