import { describe, expect, test } from 'vitest';
import type { ServiceVersions } from '../../../app/versions/service-versions.js';
import { emptyInventory } from '../../../core/infra/inventory.js';
import { runLine } from '../../fake-run.js';

const service = (taskserv: string, more: Partial<ServiceVersions> = {}): ServiceVersions => ({
  ...{ infra: 'shop', server: 'db', taskserv, version: '1.0', installed: '1.0', wanted: '1.0' },
  ...more,
});

const outdated = async (services: ServiceVersions[], options = '') =>
  runLine(`taskserv outdated${options}`, {
    client: {
      'infras.list': async () => ['shop'],
      'infras.inventory': async () => emptyInventory({ workspace: 'default', infra: 'shop', uuid: 'u' }),
      'taskservs.versions': async () => services,
    },
  });

const DAY = 86_400_000;
const dayFromNow = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
const CURRENT = service('redis', { endOfLife: dayFromNow(2) });

describe('what is outdated, and the exit code that says so', () => {
  test.each<[string, Partial<ServiceVersions>, number, string]>([
    ['a newer patch', { patch: '1.0.1' }, 1, '1.0.1'],
    ['a newer minor version', { minor: '1.2' }, 1, '1.2'],
    ['a newer major version', { major: '2.0' }, 1, '2.0'],
    ['a version that was withdrawn', { withdrawn: 'it loses data' }, 1, 'withdrawn: it loses data'],
    ['the end of its life', { endOfLife: dayFromNow(-2) }, 1, 'end of life was'],
    ['a host that did not answer', { why: 'no answer' }, 3, 'not looked at: no answer'],
  ])('%s', async (_, more, code, said) => {
    const result = await outdated([CURRENT, service('postgres', more)]);
    expect(result).toMatchObject({ code, err: '' });
    expect(result.out).toContain(said);
    expect(result.out).not.toContain('redis');
    const { services } = JSON.parse((await outdated([CURRENT, service('postgres', more)], ' --json')).out);
    expect(services.map(({ taskserv }: ServiceVersions) => taskserv)).toEqual(['postgres']);
  });

  test('nothing', async () => {
    expect(await outdated([CURRENT])).toMatchObject({ code: 0, out: 'nothing is outdated\n' });
  });
});
