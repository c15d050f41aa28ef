import { expect, test } from 'vitest';
import { listGoneVersions, newerVersions } from './newer-versions.js';

test('of each supported line the newest one is told', () => {
  const listed = ['4.0.1', '4.0.0', '3.138.0', '3.137.2', '3.137.1', '3.137.0', '3.136.4', '3.136.3', '3.1.0', '2.0.0'];
  expect(newerVersions(listed, ['3.137.0', '3.136.3'])).toEqual({
    patch: ['3.137.2', '3.136.4'],
    minor: ['3.138.0'],
    major: ['4.0.1'],
  });
});

test('what a series stands for is not newer, and neither is what lies between supported ones', () => {
  expect(newerVersions(['2.1.0', '2.0.9', '1.22.1', '1.21.8'], ['2.0', '1.21'])).toEqual({
    patch: [],
    minor: ['2.1.0', '1.22.1'],
    major: [],
  });
  expect(newerVersions(['18.0', '17.2', '16.4', '15.20'], ['17', '15'])).toEqual({ patch: [], minor: [], major: ['18.0'] });
  expect(newerVersions(['15.20'], ['15'])).toEqual({ patch: [], minor: [], major: [] });
});

test('a supported version that is not listed any more is gone; of a series, where none of it is', () => {
  expect(listGoneVersions(['2.0.9', '1.20.1'], ['2.0', '1.21'])).toEqual(['1.21']);
});
