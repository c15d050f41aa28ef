import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKcl } from '../../../test/support/languages.js';
import { loadFiles } from '../../fixtures.js';
import type { DefinitionInput } from '../../interpolation/interpolate.js';
import { problemText } from '../../source/problem.js';

const kcl = await findKcl();
const SLOW = { timeout: 600_000 };
const PATH = process.env.PATH;

test('without the program one error says what to install', async () => {
  process.env.PATH = '/nowhere';
  try {
    const { problems } = await loadFiles({ 'shop.k': 'a = 1\n' });
    expect(problems.map(problemText)).toEqual([
      expect.stringMatching(/^shop.k:1:1: the program "kcl" is missing on PATH, and KCL files need it; install it: https:/),
    ]);
  } finally {
    process.env.PATH = PATH;
  }
});

if ('why' in kcl) console.warn(kcl.why);

describe.skipIf('why' in kcl)('a definition in KCL', SLOW, () => {
  beforeAll(() => {
    if ('programs' in kcl) process.env.PATH = `${kcl.programs}:${PATH}`;
  });
  afterAll(() => {
    process.env.PATH = PATH;
  });
  const folders = 'folders' in kcl ? kcl.folders : [];
  const load = (files: Record<string, string>, input?: DefinitionInput) =>
    loadFiles(files, input, undefined, undefined, {}, folders);
  const problems = async (text: string) => (await load({ 'shop.k': text })).problems.map(problemText);
  const server = (line: string) =>
    `import provisioning\nshop = provisioning.Infra {\n    infra = "shop"\n    servers = [{\n        name = "web"\n        ${line}\n    }]\n}\n`;

  test('is told its environment', async () => {
    const text = 'infra = "shop-" + option("env")\nservers = [{ name = "web" }]\n';
    const { definition } = await load({ 'shop.k': text, 'environments/prod.yaml': 'vars: {}\n' }, { environment: 'prod' });
    expect(definition?.infra).toBe('shop-prod');
  });

  test.each([
    ['a wrong type', server('count = "two"'), /^shop.k:6:9: expected int, got str\(two\)$/],
    ['an unknown key', server('colour = "red"'), /^shop.k:6:9: Cannot add member 'colour' to schema 'Server'/],
    ['a number out of bounds', server('count = 501'), /^shop.k:\d+:\d+: count is at most 500$/],
    ['a wrong name', server('role = "A B"'), /^shop.k:\d+:\d+: role does not match \^\[a-z\]/],
    ['no KCL', 'shop = {\n', /^shop.k:1:\d+: expected one of \["}"\] got eof/],
    [
      'a plan that nobody has',
      server('plan = "smal"'),
      /^shop.k:6:9: servers\[0\].plan: the provider "local" has no plan "smal"; did you mean "small"\?$/,
    ],
    ['an import that is not there', 'import gone\na = gone.b\n', /^shop.k:1:1: CannotFindModule$/],
  ])('%s: one error with its place', async (_, text, says) => {
    expect(await problems(text)).toEqual([expect.stringMatching(says)]);
  });
});
