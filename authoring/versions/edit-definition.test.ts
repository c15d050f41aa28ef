import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadFiles } from '../../definition/fixtures.js';
import { lockText } from '../../definition/lock-file/lock-text.js';
import { type OtherVersion, setVersion } from './edit-definition.js';

const HEAD = 'infra: shop\nservers: [{ name: web, count: 2 }, { name: db }]\n';

async function upgraded(files: Record<string, string>, servers: string[], version = '2', environment?: string) {
  const read = await loadFiles(files, environment ? { environment } : {});
  if (!read.definition) throw new Error(JSON.stringify(read.problems));
  return setVersion({ definition: read.definition, read, ...(environment && { environment }) }, 'redis', version, new Set(servers));
}
const versionsIn = ({ definition }: OtherVersion) =>
  definition.servers.map(({ taskservs }) => {
    const spec = taskservs.find(({ name }) => name === 'redis');
    return [spec?.version, spec?.constraint];
  });
const edited = ({ edits }: OtherVersion) => edits.map(({ file, lines }) => [basename(file), ...lines]);

describe('a definition with another version', () => {
  test('is written where the version of these servers stands, and says who else gets it', async () => {
    const text = `${HEAD}taskservs:\n  - { name: redis, version: 1.20, on: { role: web } }\n  - { name: redis, version: 1.20, on: { role: db } }\n`;
    const other = await upgraded({ 'shop.yaml': text }, ['web-1']);
    expect(edited(other)).toEqual([
      [
        'shop.yaml',
        '@@ -3 +3 @@',
        ' taskservs:',
        '-  - { name: redis, version: 1.20, on: { role: web } }',
        '+  - { name: redis, version: 2, on: { role: web } }',
        '   - { name: redis, version: 1.20, on: { role: db } }',
      ],
    ]);
    expect([versionsIn(other), other.along]).toEqual([
      [
        ['2', undefined],
        ['2', undefined],
        ['1.20', undefined],
      ],
      ['web-2'],
    ]);
  });

  test('is written into the entry that says the version, where several are laid over each other', async () => {
    const text = `${HEAD}taskservs:\n  - { name: redis, version: 1.20 }\n  - { name: redis, on: { role: db }, config: { port: 6380 } }\n`;
    const other = await upgraded({ 'shop.yaml': text }, ['db']);
    expect(other.edits[0]?.after).toBe(text.replace('1.20', '2'));
    expect(other.along).toEqual(['web-1', 'web-2']);
  });

  test('leaves a constraint and a default whose newest version it is, and replaces others', async () => {
    const open = await upgraded({ 'shop.yaml': `${HEAD}taskservs: [{ name: redis, version: '>=1' }]\n` }, ['db']);
    expect([edited(open).map(([file]) => file), versionsIn(open)[2]]).toEqual([['provisioning.lock'], ['2', '>=1']]);
    expect((await upgraded({ 'shop.yaml': `${HEAD}taskservs: [redis]\n` }, ['db'])).edits).toEqual([]);
    const narrow = await upgraded({ 'shop.yaml': `${HEAD}taskservs: [{ name: redis, version: '~1.20' }]\n` }, ['db']);
    expect([narrow.edits[0]?.after, versionsIn(narrow)[2]]).toEqual([
      `${HEAD}taskservs: [{ name: redis, version: '2' }]\n`,
      ['2', undefined],
    ]);
  });

  test('is written into the lock file alone, where a constraint allows it', async () => {
    const text = `${HEAD}taskservs:\n  - { name: redis, version: '>=1', on: { role: web } }\n  - { name: redis, version: '>=1', on: { role: db } }\n`;
    const lock = (redis: string, more = {}) =>
      lockText({ shop: { redis: [{ asked: '>=1', version: redis }], ...more }, blog: { web: [{ asked: '^1', version: '1.20' }] } });
    const other = await upgraded({ 'shop.yaml': text, 'provisioning.lock': lock('1.20') ?? '' }, ['web-1']);
    expect(edited(other)).toEqual([
      ['provisioning.lock', '@@ -11 +11 @@', '       - asked: ">=1"', '-        version: "1.20"', '+        version: "2"'],
    ]);
    // One entry applies to all taskservs with the same constraint.
    expect([versionsIn(other), other.along]).toEqual([Array(3).fill(['2', '>=1']), ['web-2', 'db']]);
  });

  test('takes the entry of a constraint that it replaces out of the lock file', async () => {
    const text = `${HEAD}taskservs: [{ name: redis, version: '~1.20' }]\n`;
    const lock = lockText({ shop: { redis: [{ asked: '~1.20', version: '1.20' }] } }) ?? '';
    const other = await upgraded({ 'shop.yaml': text, 'provisioning.lock': lock }, ['db']);
    expect(edited(other).map(([file]) => file)).toEqual(['shop.yaml', 'provisioning.lock']);
    expect(other.edits[1]).toMatchObject({ after: {} });
  });

  test('is written into the overlay of an environment, where that says the version', async () => {
    const files = {
      'shop.yaml': `${HEAD}taskservs: [{ name: redis, version: 2 }]\n`,
      'shop.prod.yaml': '# of production\ntaskservs: [{ name: redis, version: 1.20 }]\n',
    };
    expect(edited(await upgraded(files, ['db'], '2', 'prod'))).toEqual([
      [
        'shop.prod.yaml',
        '@@ -1 +1 @@',
        ' # of production',
        '-taskservs: [{ name: redis, version: 1.20 }]',
        '+taskservs: [{ name: redis, version: 2 }]',
      ],
    ]);
  });

  const refused = async (files: Record<string, string>, servers = ['db']) =>
    upgraded(files, servers).catch(({ details: { on, ...details } }) => ({ ...details, on: basename(on) }));

  test('is not written into what other definitions include', async () => {
    const files = {
      'shop.yaml': `include: [common.yaml]\n${HEAD}`,
      'common.yaml': 'taskservs:\n  - { name: redis, version: 1.20 }\n',
    };
    expect(await refused(files)).toMatchObject({
      code: 'version-not-written',
      on: 'common.yaml:2:29',
      why: 'this file may be part of other definitions, too',
      hint: expect.stringContaining('provisioning taskserv update redis --file'),
    });
  });

  test('is not written in place of an expression', async () => {
    const text = `interpolate: true\nvars: { redis: '1.20' }\n${HEAD}taskservs:\n  - { name: redis, version: '{{ vars.redis }}' }\n`;
    expect(await refused({ 'shop.yaml': text })).toMatchObject({ code: 'version-not-written', on: 'shop.yaml:6:29' });
  });

  test('is refused where it would have to be written, and no file is known', async () => {
    const { definition } = await loadFiles({ 'shop.yaml': `${HEAD}taskservs: [{ name: redis, version: 1.20 }]\n` });
    if (!definition) throw new Error('the secret is not generated');
    await expect(setVersion({ definition }, 'redis', '2', new Set(['db']))).rejects.toMatchObject({
      details: { code: 'definition-file-needed', blame: 'user', on: 'shop' },
    });
    expect((await setVersion({ definition }, 'redis', '1.20', new Set(['db']))).edits).toEqual([]);
  });
});
