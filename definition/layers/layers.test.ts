import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadFiles } from '../fixtures.js';
import type { DefinitionInput } from '../interpolation/interpolate.js';
import { loadDefinition } from '../load-definition.js';
import { problemText } from '../source/problem.js';

const problemsOf = async (files: Record<string, string>, input?: DefinitionInput) =>
  (await loadFiles(files, input)).problems.map(problemText);
const SHOP = 'infra: shop\nservers:\n  - { name: web, plan: small }\ntaskservs:\n  - redis\n';
const PROD = { environment: 'prod' };

describe('an overlay', () => {
  test('changes what it names, and nothing without its environment', async () => {
    const files = {
      'shop.yaml': SHOP,
      'shop.prod.yaml':
        'protect: true\nservers:\n  - { name: web, plan: large }\n  - { name: db }\ntaskservs:\n  - { name: redis, config: { port: 6380 } }\n',
    };
    const { definition } = await loadFiles(files, PROD);
    expect(definition?.protect).toBe(true);
    expect(definition?.servers.map(({ name, plan }) => [name, plan.name])).toEqual([
      ['web', 's4'],
      ['db', 's1'],
    ]);
    expect(definition?.servers[0]?.taskservs[0]?.config).toMatchObject({ port: 6380 });
    const plain = await loadFiles(files);
    expect(plain.definition?.servers.map(({ name, plan }) => [name, plan.name])).toEqual([['web', 's1']]);
  });

  test('where something is wrong is told in the file that says it, also of what both say', async () => {
    const files = {
      'shop.yaml':
        'infra: shop\nservers:\n  - name: web\n    plan: smal\ntaskservs:\n  - { name: redis, config: { port: 1, polcy: x } }\n',
      'shop.prod.yaml':
        '# of production\nonFailure: kep\nservers:\n  - name: db\n    plan: larg\ntaskservs:\n  - name: redis\n    config:\n      port: 70000\n',
    };
    expect(await problemsOf(files, PROD)).toEqual([
      'shop.prod.yaml:2:12: onFailure: expected one of "rollback", "rollback-service", "keep", "ask", got "kep"; did you mean "keep"?',
      'shop.prod.yaml:5:11: servers[0].plan: the provider "local" has no plan "larg"; did you mean "large"?',
      'shop.prod.yaml:9:13: taskservs[0].config.port: a port is a whole number from 1 to 65535',
      'shop.yaml:4:11: servers[0].plan: the provider "local" has no plan "smal"; did you mean "small"?',
      'shop.yaml:6:39: taskservs[0].config.polcy: unknown key "polcy"; did you mean "policy"?',
    ]);
  });

  test('what cannot be joined names both places', async () => {
    const found = await problemsOf({ 'shop.yaml': SHOP, 'shop.prod.yaml': 'servers:\n  web: { plan: large }\n' }, PROD);
    expect(found).toEqual([
      'shop.prod.yaml:1:1: servers: a map cannot be laid over a list, which is at shop.yaml:2:1; to replace it write { $replace: … }',
    ]);
  });

  test('a reference to a secret replaces another, and a target is one thing', async () => {
    const files = {
      'shop.yaml':
        'infra: shop\nservers: [{ name: web }, { name: db }]\ntaskservs:\n  - { name: redis, on: { role: web }, config: { password: { generate: password } } }\n',
      'shop.prod.yaml': 'taskservs:\n  - { name: redis, on: { server: db }, config: { password: { secret: redis-password } } }\n',
    };
    const { definition } = await loadFiles(files, PROD);
    expect(definition?.servers.map(({ taskservs }) => taskservs.map(({ config }) => config))).toMatchObject([
      [],
      [{ password: { $secret: 'redis-password' } }],
    ]);
  });

  test('an environment that has no file is told, with the nearest, and with its code', async () => {
    const { problems } = await loadFiles({ 'shop.yaml': SHOP, 'shop.prod.yaml': 'protect: true\n' }, { environment: 'prdo' });
    expect(problems).toMatchObject([
      {
        file: 'shop.yaml',
        code: 'environment-unknown',
        message: 'there is no environment "prdo": neither shop.prdo.yaml beside it nor environments/prdo.yaml',
        suggestion: 'did you mean "prod"?',
      },
    ]);
    expect(await problemsOf({ 'shop.yaml': SHOP }, { environment: '../etc' })).toEqual([
      'shop.yaml:1:1: "../etc" cannot name an environment; use lower-case letters, digits and dashes, a letter first, at most 40 of them',
    ]);
    const both = { 'shop.yaml': SHOP, 'shop.prod.yaml': 'protect: true\n', 'shop.prod.json': '{}' };
    expect(await problemsOf(both, PROD)).toEqual([
      'shop.yaml:1:1: the environment "prod" has both shop.prod.json and shop.prod.yaml; keep one of them',
    ]);
  });
});

describe('files that are included', () => {
  test('lie below the one that includes them, the first lowest', async () => {
    const { definition, problems } = await loadFiles({
      'infra/shop.yaml':
        'include: [../parts/base.yaml, ../parts/redis.yaml]\ninfra: shop\nservers:\n  - { name: web, plan: medium }\n',
      'parts/base.yaml': 'include: [lowest.json]\nprotect: true\nservers:\n  - { name: web, plan: small, labels: { a: base } }\n',
      'parts/lowest.json': '{ "onFailure": "keep", "protect": false }',
      'parts/redis.yaml': 'taskservs:\n  - redis\n',
      'provisioning.yaml': '{}\n',
    });
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({ protect: true, onFailure: 'keep' });
    expect(definition?.servers).toMatchObject([{ plan: { name: 's2' }, labels: { a: 'base' }, taskservs: [{ name: 'redis' }] }]);
  });

  test('where something is wrong in one is told there', async () => {
    expect(
      await problemsOf({
        'shop.yaml': `include: [part.yaml]\n${SHOP}`,
        'part.yaml': 'protect: yes please\nnetworks:\n  - nmae: x\n',
      }),
    ).toEqual([
      'part.yaml:1:10: protect: expected true or false, got text',
      'part.yaml:3:5: networks[0].nmae: unknown key "nmae"; did you mean "name"?',
    ]);
    expect(await problemsOf({ 'shop.yaml': `include: [part.yaml]\n${SHOP}`, 'part.yaml': 'a: [\n' })).toEqual([
      expect.stringMatching(/^part\.yaml:2:1: Flow sequence/),
    ]);
    expect(await problemsOf({ 'shop.yaml': `include: [part.yaml]\n${SHOP}`, 'part.yaml': '- a\n' })).toEqual([
      'part.yaml:1:1: a part of a definition must be a map of keys',
    ]);
  });

  test('one that is not there, and a list that is none', async () => {
    expect(await problemsOf({ 'shop.yaml': `${SHOP}include: [comon.yaml]\n`, 'common.yaml': 'protect: true\n' })).toEqual([
      'shop.yaml:6:11: include[0]: "comon.yaml" cannot be read: the file does not exist; did you mean "common.yaml"?',
    ]);
    expect(await problemsOf({ 'shop.yaml': `${SHOP}include: common.yaml\n`, 'common.yaml': 'protect: true\n' })).toEqual([
      'shop.yaml:6:10: include: expected a list of files; include: [common.yaml]',
    ]);
  });

  test('those that include each other are told with their path', async () => {
    const files = {
      'shop.yaml': `${SHOP}include: [a.yaml]\n`,
      'a.yaml': 'include: [b.yaml]\n',
      'b.yaml': 'protect: true\ninclude:\n  - a.yaml\n',
    };
    expect(await problemsOf(files)).toEqual([
      'b.yaml:3:5: include[0]: files include each other: a.yaml → b.yaml → a.yaml; take one of them out',
    ]);
    expect(await problemsOf({ 'shop.yaml': `${SHOP}include: [shop.yaml]\n` })).toEqual([
      'shop.yaml:6:11: include[0]: files include each other: shop.yaml → shop.yaml; take one of them out',
    ]);
  });

  test('none from outside of the workspace, by its name or by a link', async () => {
    expect(await problemsOf({ 'infra/shop.yaml': `${SHOP}include: [../other.yaml]\n`, 'other.yaml': 'protect: true\n' })).toEqual([
      'infra/shop.yaml:6:11: include[0]: "../other.yaml" is outside of infra; a definition can only include files of its workspace',
    ]);
    expect(await problemsOf({ 'shop.yaml': `${SHOP}include: [/etc/passwd]\n` })).toEqual([
      'shop.yaml:6:11: include[0]: "/etc/passwd" is outside of FOLDER; a definition can only include files of its workspace',
    ]);
    const folder = await mkdtemp(join(tmpdir(), 'include-'));
    try {
      await writeFile(join(folder, 'shop.yaml'), `${SHOP}include: [link.yaml]\n`);
      await symlink('/etc/passwd', join(folder, 'link.yaml'));
      const options = { workspace: 'default', registries: { taskservs: {}, providers: {} }, secretNames: new Set<string>() };
      const { problems } = await loadDefinition(join(folder, 'shop.yaml'), options);
      expect(problems.map(({ message }) => message)).toEqual([`"link.yaml" is outside of ${folder}`]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('not more of them than are read in time, told once', async () => {
    // Each includes the one below twice: 2 to the power of 20 readings.
    const chain = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`f${index}.yaml`, `include: [f${index + 1}.yaml, f${index + 1}.yaml]\n`]),
    );
    const found = await problemsOf({ 'shop.yaml': `${SHOP}include: [f0.yaml]\n`, ...chain, 'f20.yaml': 'protect: true\n' });
    expect(found.length).toBeLessThan(25);
    expect(found.every((text) => text.includes('the definition has more than 64 files'))).toBe(true);
    const large = {
      'shop.yaml': `${SHOP}include: [a.yaml, b.yaml]\n`,
      'a.yaml': `# ${'x'.repeat(600_000)}\n{}\n`,
      'b.yaml': `# ${'x'.repeat(600_000)}\n{}\n`,
    };
    expect(await problemsOf(large)).toEqual([
      'shop.yaml:6:19: include[1]: with this file the definition has more than 1 MiB; divide the definition',
    ]);
  });

  test('what aliases make of them is bounded in each, and in all together', async () => {
    const bomb = `a: &a [${'x,'.repeat(50)}x]\nb: &b [${'*a,'.repeat(50)}*a]\nc: &c [${'*b,'.repeat(50)}*b]\nd: [${'*c,'.repeat(50)}*c]\n`;
    const found = await problemsOf({ 'shop.yaml': `${SHOP}include: [bomb.yaml]\n`, 'bomb.yaml': bomb });
    expect(found).toEqual([expect.stringMatching(/^bomb\.yaml:2:8: the aliases .* expand to too much data$/)]);
  });
});
