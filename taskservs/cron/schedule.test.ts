import { expect, test } from 'vitest';
import { isSchedule } from './schedule.js';

test.each([
  '* * * * *',
  '30 3 * * mon',
  '*/5 0-6,22 1,15 jan-mar 1-5',
  '0 0 31 12 7',
  '@daily',
  '@midnight',
  '@annually',
  '@reboot',
])('%s', (text) => expect(isSchedule(text)).toBe(true));

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '*/0 * * * *',
  '5-1 * * * *',
  '1-2-3 * * * *',
  '*  * * * *',
  '* * * foo *',
  '@daily root',
  '@noon',
  '* * * * *\n* * * * * root sh',
])('not %j', (text) => expect(isSchedule(text)).toBe(false));
