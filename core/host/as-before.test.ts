import { expect, test } from 'vitest';
import { restoreBefore } from './as-before.js';
import { type FormerState, readBefore } from './before.js';
import type { Step } from './step.js';

const away: Step[] = [
  { title: 'Stop x', service: { name: 'x', state: 'stopped', enabled: false } },
  { title: 'Remove the package x', package: { name: 'x', state: 'absent' } },
  { title: 'Remove /etc/x', absent: { path: '/etc/x' } },
  { title: 'Remove /etc/y', absent: { path: '/etc/y' } },
];
const printed = (lines: string[]): FormerState => readBefore({ stdout: ['on', ...lines].join('\n') }) as FormerState;
const titles = (lines: string[] | undefined, { others = ['x'], isLast = true } = {}) =>
  restoreBefore(away, lines && printed(lines), { service: 'x', others, isLast }).map(({ title }) => title);

test('a host that was not adopted, or by a former release, is cleaned as the taskserv says', () => {
  expect(titles(undefined)).toEqual(away.map(({ title }) => title));
  expect(readBefore({ stdout: '' })).toBeUndefined();
});

test('what ran there before goes on with its own files: nothing is stopped or removed', () => {
  const lines = ['n file there other - /etc/x', 'n file absent other - /etc/y', 'n unit there other active,enabled x', 's x'];
  expect(titles(lines)).toEqual([
    'Keep the package x, which was there before',
    'Restore /etc/x as it was before',
    'Remove /etc/y',
    'Start x with what was there before',
  ]);
});

test('a unit that no step ever changed is left alone with its package, and one that was idle stops again', () => {
  expect(titles(['s x'])[0]).toBe('Keep the package x, which was there before');
  const steps = restoreBefore(away, printed(['n unit there other inactive,enabled x']), {
    service: 'x',
    others: [],
    isLast: false,
  });
  expect(steps[0]).toEqual({ title: 'Stop x', service: { name: 'x', state: 'stopped', enabled: true } });
  expect(titles(['a x'])).toEqual(
    away.map(({ title }) => title).concat('Remove what came with the services, unless others need it: x'),
  );
});

test('what came along goes with the last service, and what had to go returns with the service it went for', () => {
  const lines = ['a x', 'a libx', 's x', 's other', 'g systemd-timesyncd'];
  const gone = 'Install what went when x came: systemd-timesyncd';
  expect(titles(lines).at(-1)).toBe(gone);
  expect(titles(lines, { others: ['x', 'other'], isLast: false }).at(-1)).toBe(gone);
  expect(titles(lines, { others: ['x', 'other'] }).at(-1)).toBe(
    `Remove what came with the services, unless others need it: x, libx; ${gone}`,
  );
});

test('what no step of the removal names returns as well, unless it is data', () => {
  const lines = [
    'n directory there other - /var/lib/x',
    'n directory absent other - /srv/x',
    'n file there other declared /etc/localtime',
    'n file absent other declared /etc/timezone',
    'n file absent other - /var/www/index.html',
    'n account there other declared ann',
    'n account absent other declared bob',
    'n group absent other declared staff two',
    'n file there same - /etc/z',
  ];
  expect(titles(lines).slice(1)).toEqual([
    'Remove /etc/x',
    'Remove /etc/y',
    'Restore /etc/localtime as it was before',
    'Remove /etc/timezone',
    'Restore owner and mode of /var/lib/x',
    'Remove /srv/x, if it is empty',
    'Restore the account ann as it was before',
    'Remove the group staff two, if nothing needs it',
  ]);
});
