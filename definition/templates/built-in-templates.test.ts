import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { reachableOf } from '../../core/definition/reachable.js';
import { loadDefinition } from '../load-definition.js';
import { registries } from '../registries/registries.js';
import { problemText } from '../source/problem.js';
import { readTemplate } from './read-template.js';
import { templateFiles } from './template-files.js';

const FILES = await templateFiles(undefined);

/** Reads a definition that uses a template, with the taskservs of the platform. */
const using = async (template: string, parameters: object) => {
  const text = `infra: shop\nprovider: demo\nuse: ${JSON.stringify({ [template]: parameters })}\n`;
  const { definition, problems } = await loadDefinition('shop.yaml', {
    workspace: 'default',
    registries: await registries(),
    secretNames: new Set(),
    text,
  });
  return { definition, problems: problems.map(problemText) };
};

describe.each(FILES)('the template $name', ({ name, file, within }) => {
  const template = async () => {
    const read = await readTemplate({ file, within });
    if (Array.isArray(read)) throw new Error(read.map(problemText).join('\n'));
    return read;
  };

  test('describes itself, its parameters and its outputs, and has the sizes small, medium and large', async () => {
    const { description, parameters, outputs, sizes } = await template();
    expect(description).not.toBe('');
    expect([...parameters.values()].filter((one) => !one.description).map((one) => one.name)).toEqual([]);
    expect([...outputs].filter(([, about]) => about === '')).toEqual([]);
    expect([...sizes.keys()]).toEqual(['small', 'medium', 'large']);
  });

  test.each([undefined, 'small', 'medium', 'large'])('makes a valid definition of the size %s', async (size) => {
    const { definition, problems } = await using(name, size ? { size } : {});
    expect(problems).toEqual([]);
    expect(definition?.servers.length).toBeGreaterThan(0);
  });

  test('is documented with every parameter and size', async () => {
    const readme = await readFile(new URL(`../../clusters/${name}/README.md`, import.meta.url), 'utf8');
    const { parameters, sizes } = await template();
    for (const word of [...parameters.keys(), ...sizes.keys()]) expect(readme).toContain(`\`${word}\``);
  });
});

test('etcd has an odd number of servers, each with a firewall and backups', async () => {
  expect((await using('etcd', { servers: 4 })).problems).toEqual([
    expect.stringContaining('the variable "servers" is one of 3, 5'),
  ]);
  const { definition } = await using('etcd', { size: 'large' });
  expect(definition?.servers.map(({ name, taskservs }) => [name, taskservs.map((one) => one.name).sort()])).toEqual(
    [1, 2, 3, 4, 5].map((number) => [`etcd-${number}`, ['etcd', 'firewall', 'restic']]),
  );
});

test.each(['small', 'medium', 'large'])(
  'postgresql-ha of the size %s has three members, each with etcd and both proxies',
  async (size) => {
    const { definition } = await using('postgresql-ha', { size });
    const own = ['etcd', 'firewall', 'haproxy', 'patroni', 'pgbouncer'];
    expect(definition?.servers.map(({ name, taskservs }) => [name, taskservs.map((one) => one.name).sort()])).toEqual(
      [1, 2, 3].map((number) => [`db-${number}`, own]),
    );
  },
);

test.each([
  ['web', ['http of haproxy']],
  ['etcd', []],
  ['postgresql', []],
  ['postgresql-ha', []],
])('%s opens to the outside, besides SSH: %j', async (name, opened) => {
  const { definition } = await using(name, {});
  const what = definition ? reachableOf(definition).public.map((one) => one.what) : [];
  expect(what.filter((one) => one !== 'SSH')).toEqual(opened);
});
