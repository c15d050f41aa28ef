import { expect, test, vi } from 'vitest';
import { inputError } from '../../../core/errors.js';
import { runLine } from '../../fake-run.js';
import { inventoryNamed } from '../../fake-session.js';
import { Interrupted } from '../../program/interrupted.js';

const upgrade = vi.hoisted(() => vi.fn());
vi.mock('../versions/upgrade.js', () => ({ upgradeTaskserv: upgrade }));

const service = (taskserv: string) => ({
  ...{ infra: 'shop', server: 'db', taskserv, version: '1.0', installed: '1.0', wanted: '1.0', patch: '1.0.1' },
});

/** Upgrades three services. The second throws. */
function upgradeThree(line: string, thrown: Error) {
  upgrade.mockReset();
  upgrade.mockImplementation(async ({ out }, name: string) => {
    if (name === 'nginx') throw thrown;
    out.write(`{"operation":"${name}"}\n`);
    return 0;
  });
  const client = {
    'infras.list': async () => ['shop'],
    'infras.inventory': async () => inventoryNamed('shop'),
    'taskservs.outdated': async () => ['haproxy', 'nginx', 'redis'].map(service),
  };
  return runLine(line, { client });
}
const failure = () => inputError({ code: 'not-installed', what: 'upgrade nginx', on: 'db', why: 'no server has it' });

test('the document has the finished upgrades if a later one throws, and nothing is upgraded after it', async () => {
  const { code, out, err } = await upgradeThree('cluster upgrade shop --strategy patch --json --yes', failure());
  expect([code, err, upgrade.mock.calls.map(([, name]) => name)]).toEqual([2, '', ['haproxy', 'nginx']]);
  expect(JSON.parse(out)).toEqual({
    infra: 'shop',
    upgrades: [
      { taskserv: 'haproxy', exitCode: 0, result: { operation: 'haproxy' } },
      { taskserv: 'nginx', exitCode: 2, error: expect.objectContaining({ code: 'not-installed', why: 'no server has it' }) },
    ],
  });
  const ended = await upgradeThree('cluster upgrade shop --strategy patch --json --yes', new Interrupted());
  expect([ended.code, JSON.parse(ended.out).upgrades.length]).toEqual([130, 2]);
});

test('without --json the error is shown as always', async () => {
  const { code, out, err } = await upgradeThree('cluster upgrade shop --strategy patch --yes', failure());
  expect([code, err]).toEqual([2, expect.stringContaining('no server has it')]);
  expect(out).toContain('── nginx\n');
});
