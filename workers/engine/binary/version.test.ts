import { expect, test } from 'vitest';
import { compareLines, isNewEnough, lineOf, parseVersion } from './version.js';

test('a binary says which CLI and which server it is', () => {
  const binary = parseVersion('/bin/temporal', 'temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)\n');
  expect(binary).toEqual({ path: '/bin/temporal', version: '1.8.2', serverVersion: '1.31.2', mutualTls: false });
  expect(lineOf('1.31.2')).toBe('1.31');
  const own = parseVersion('/bin/engine', 'provisioning-engine version 1.8.2 (Server 1.31.2, UI 2.50.1)\n');
  expect(own).toEqual({ path: '/bin/engine', version: '1.8.2', serverVersion: '1.31.2', mutualTls: true });
  expect(parseVersion('/bin/temporal', 'some other program 1.0')).toBeUndefined();
});

test('versions are compared as numbers', () => {
  expect(compareLines('1.9', '1.31')).toBeLessThan(0);
  expect(compareLines('1.31', '1.31.0')).toBe(0);
  expect(isNewEnough({ path: '', version: '1.0.0', serverVersion: '1.24.2', mutualTls: false })).toBe(false);
  expect(isNewEnough({ path: '', version: '1.8.2', serverVersion: '1.31.2', mutualTls: true })).toBe(true);
});
