import { expect, test } from 'vitest';
import { repairsAmong } from './repairs.js';
import type { Step } from './step.js';

const file = (path: string, content: string): Step => ({ title: `Write ${path}`, file: { path, content } });
const restart: Step = { title: 'Restart nginx', service: { name: 'nginx', state: 'running', enabled: true } };
const load: Step = { title: 'Load the rules', run: 'nft -f /etc/nftables.conf', undo: 'true' };

test('what was wanted before already is a repair, whatever else changes', () => {
  const steps = [file('/etc/a', 'one'), file('/etc/b', 'new'), file('/etc/c', 'three')];
  expect(repairsAmong(steps, [file('/etc/a', 'one'), file('/etc/b', 'old'), file('/etc/c', 'three')])).toEqual([0, 2]);
  expect(repairsAmong(steps, [])).toEqual([]);
});

test('a script and a service are no repairs once something else was changed before them', () => {
  const wanted = [file('/etc/a', 'one'), load, file('/etc/b', 'new'), load, restart];
  const former = [file('/etc/a', 'one'), load, file('/etc/b', 'old'), load, restart];
  expect(repairsAmong(wanted, former)).toEqual([0, 1]);
});

test('the same steps are repairs altogether', () => {
  const steps = [file('/etc/a', 'one'), load, restart];
  expect(repairsAmong(steps, steps)).toEqual([0, 1, 2]);
});
