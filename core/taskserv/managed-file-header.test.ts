import { expect, test } from 'vitest';
import { MANAGED_FILE_HEADER, managedFileHeader } from './managed-file-header.js';

test('the first line of managed files has the bytes that hosts have', () => {
  expect(MANAGED_FILE_HEADER).toBe('# Written by provisioning; changes by hand are taken back.');
  expect(managedFileHeader(';')).toBe('; Written by provisioning; changes by hand are taken back.');
  expect(managedFileHeader('//')).toBe('// Written by provisioning; changes by hand are taken back.');
  expect(managedFileHeader('%')).toBe('% Written by provisioning; changes by hand are taken back.');
  expect(managedFileHeader('#', 'systemd-units')).toBe(
    '# Written by provisioning (systemd-units); changes by hand are taken back.',
  );
});
