import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findNickel } from '../../../test/support/languages.js';
import { loadFiles } from '../../fixtures.js';
import type { DefinitionInput } from '../../interpolation/interpolate.js';
import { problemText } from '../../source/problem.js';

const nickel = await findNickel();
const SLOW = { timeout: 600_000 };
const PATH = process.env.PATH;

test('without the program one error says what to install', async () => {
  process.env.PATH = '/nowhere';
  try {
    const { problems } = await loadFiles({ 'shop.ncl': '{}\n' });
    expect(problems.map(problemText)).toEqual([
      expect.stringMatching(/^shop.ncl:1:1: the program "nickel" is missing on PATH, and Nickel files need it; install it: https:/),
    ]);
  } finally {
    process.env.PATH = PATH;
  }
});

if ('why' in nickel) console.warn(nickel.why);

describe.skipIf('why' in nickel)('a definition in Nickel', SLOW, () => {
  beforeAll(() => {
    if ('programs' in nickel) process.env.PATH = `${nickel.programs}:${PATH}`;
  });
  afterAll(() => {
    process.env.PATH = PATH;
  });
  const folders = 'folders' in nickel ? nickel.folders : [];
  const load = (files: Record<string, string>, input?: DefinitionInput) =>
    loadFiles(files, input, undefined, undefined, {}, folders);
  const problems = async (text: string) => (await load({ 'shop.ncl': text })).problems.map(problemText);
  const server = (line: string) =>
    `let { Infra, .. } = import "provisioning.ncl" in\n{\n  infra = "shop",\n  servers = [{\n    name = "web",\n    ${line},\n  }],\n} | Infra\n`;

  test('is told its environment', async () => {
    const text = 'let { env, .. } = import "provisioning.ncl" in\n{ infra = "shop-%{env}", servers = [{ name = "web" }] }\n';
    const { definition } = await load({ 'shop.ncl': text, 'environments/prod.yaml': 'vars: {}\n' }, { environment: 'prod' });
    expect(definition?.infra).toBe('shop-prod');
  });

  test.each([
    ['a wrong type', server('count = "two"'), /^shop.ncl:6:13: contract broken by the value of `count`$/],
    ['an unknown key', server('colour = "red"'), /^shop.ncl:4:14: contract broken by the value of `servers`$/],
    ['a number out of bounds', server('count = 501'), /^shop.ncl:6:13: contract broken/],
    ['a wrong name', server('role = "A B"'), /^shop.ncl:6:12: contract broken by the value of `role`/],
    ['a taskserv of a wrong type', server('taskservs = [1]'), /^shop.ncl:6:18: contract broken by the value of `taskservs`$/],
    ['no Nickel', '{ infra = \n', /^shop.ncl:\d+:\d+: unexpected end of file/],
    [
      'a plan that nobody has',
      server('plan = "smal"'),
      /^shop.ncl:6:5: servers\[0\].plan: the provider "local" has no plan "smal"; did you mean "small"\?$/,
    ],
    ['what never ends', 'let rec f = fun x => f (x + 1) in\nf 0\n', /^shop.ncl:1:1: its evaluation takes more than/],
  ])('%s: one error with its place', async (_, text, says) => {
    expect(await problems(text)).toEqual([expect.stringMatching(says)]);
  });
});
