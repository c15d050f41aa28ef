import { describe, expect, test } from 'vitest';
import type { ServiceVersions } from '../../../app/versions/service-versions.js';
import { emptyInventory } from '../../../core/infra/inventory.js';
import { runLine } from '../../fake-run.js';

const service = (taskserv: string, more: Partial<ServiceVersions> = {}): ServiceVersions => ({
  ...{ infra: 'shop', server: 'db', taskserv, version: '1.0', installed: '1.0', wanted: '1.0' },
  ...more,
});

/** Runs the command in a workspace with two infras, one of which has these services. */
const outdated = async (services: ServiceVersions[], options = '') => {
  const asked: unknown[] = [];
  const result = await runLine(`taskserv outdated${options}`, {
    client: {
      'infras.list': async () => ['hub', 'shop'],
      'infras.inventory': async ({ infra }) => emptyInventory({ workspace: 'default', infra, uuid: 'u' }),
      'taskservs.outdated': async (input) => {
        asked.push(input);
        return input.infra === 'shop' ? services : [];
      },
    },
  });
  return { ...result, asked };
};

const DAY = 86_400_000;
const dayFromNow = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);

describe('what is outdated, and the exit code that says so', () => {
  test.each<[string, Partial<ServiceVersions>, number, string]>([
    ['a newer patch', { patch: '1.0.1' }, 1, '1.0.1'],
    ['a newer minor version', { minor: '1.2' }, 1, '1.2'],
    ['a newer major version', { major: '2.0' }, 1, '2.0'],
    ['a version that was withdrawn', { withdrawn: 'it loses data' }, 1, 'withdrawn: it loses data'],
    ['the end of its life', { endOfLife: dayFromNow(-2) }, 1, 'end of life was'],
    ['a host that did not answer', { why: 'no answer' }, 3, 'not looked at: no answer'],
  ])('%s', async (_, more, code, said) => {
    const result = await outdated([service('postgres', more)]);
    expect(result).toMatchObject({ code, err: '' });
    expect(result.out).toContain(said);
    expect(JSON.parse((await outdated([service('postgres', more)], ' --json')).out)).toEqual({
      services: [service('postgres', more)],
    });
  });

  test('nothing', async () => {
    expect(await outdated([])).toMatchObject({ code: 0, out: 'nothing is outdated\n' });
  });
});

test('each infra is asked, or one, and for one taskserv if it is named', async () => {
  const place = { workspace: 'default', withinMs: 5_000 };
  expect((await outdated([])).asked).toEqual([
    { ...place, infra: 'hub' },
    { ...place, infra: 'shop' },
  ]);
  expect((await outdated([], ' redis --infra shop --timeout 2')).asked).toEqual([
    { ...place, infra: 'shop', withinMs: 2_000, taskserv: 'redis' },
  ]);
});
