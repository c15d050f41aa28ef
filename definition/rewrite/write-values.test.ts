import { describe, expect, test } from 'vitest';
import { writeValues } from './write-values.js';

const written = async (file: string, text: string, path: (string | number)[], value: unknown) => {
  const { text: after, why } = await writeValues(file, text, [{ path, value }]);
  return after ?? why;
};
const COUNT = ['use', 'web', 'count'];

describe('a value of a definition file', () => {
  test.each([
    [
      'replaces the present one',
      'use:\n  web:\n    count: 2 # as in spring\n    plan: small\n',
      'use:\n  web:\n    count: 5 # as in spring\n    plan: small\n',
    ],
    [
      'follows the last key of a block',
      '# mine\nuse:\n  web:\n    plan: small # cheap\n\n# below\nname: x\n',
      '# mine\nuse:\n  web:\n    plan: small # cheap\n    count: 5\n\n# below\nname: x\n',
    ],
    ['goes into braces', 'use: { web: { plan: small } } # c\n', 'use: { web: { plan: small, count: 5 } } # c\n'],
    ['goes into empty braces', 'use:\n  web: {}\n', 'use:\n  web: { count: 5 }\n'],
    ['makes a map of a key without a value', 'use:\n  web:\n  # comment\n', 'use:\n  web: { count: 5 }\n  # comment\n'],
    ['makes a map of `null`', 'use: { web: null }\n', 'use: { web: { count: 5 } }\n'],
    ['makes a map of the short form', 'use: web # short\n', 'use: { web: { count: 5 } } # short\n'],
    ['is added with the maps around it', 'infra: a\n', 'infra: a\nuse: { web: { count: 5 } }\n'],
    [
      'follows a list of lines',
      'use:\n  web:\n    networks:\n      - a\n      - b\n',
      'use:\n  web:\n    networks:\n      - a\n      - b\n    count: 5\n',
    ],
  ])('%s', async (_, before, after) => expect(await written('a.yaml', before, COUNT, 5)).toBe(after));

  test('in JSON and TOML stays in its form', async () => {
    expect(await written('a.json', '{\n  "use": {\n    "web": { "plan": "small" }\n  }\n}\n', COUNT, 5)).toBe(
      '{\n  "use": {\n    "web": { "plan": "small", "count": 5 }\n  }\n}\n',
    );
    expect(await written('a.json', '{\n  "use": { "web": {\n    "plan": "s"\n  } }\n}\n', COUNT, 5)).toBe(
      '{\n  "use": { "web": {\n    "plan": "s",\n    "count": 5\n  } }\n}\n',
    );
    expect(await written('a.toml', '# c\n[use.web]\nplan = "small"\ncount = 2\n', COUNT, 5)).toBe(
      '# c\n[use.web]\nplan = "small"\ncount = 5\n',
    );
  });

  test('is quoted if YAML reads it otherwise, and a list replaces a list', async () => {
    expect(await written('a.yaml', 'a: b\n', ['a'], 'no')).toBe('a: "no"\n');
    expect(await written('a.yaml', 'a: b\n', ['a'], 'x: {y}')).toBe('a: "x: {y}"\n');
    expect(await written('a.yaml', 'a:\n  - x # one\n  - y\nb: 1\n', ['a'], ['z'])).toBe('a:\n  ["z"]\nb: 1\n');
    expect(await written('a.yaml', 'servers:\n  - name: web\n    count: 2\n  - { name: db }\n', ['servers', 1, 'count'], 3)).toBe(
      'servers:\n  - name: web\n    count: 2\n  - { name: db, count: 3 }\n',
    );
  });

  test('is not written over an expression, through an alias, or into a program', async () => {
    expect(await written('a.yaml', 'use: { web: { count: "{{ vars.n }}" } }\n', COUNT, 5)).toBe('its value is an expression');
    expect(await written('a.yaml', 'x: &a { count: 1 }\nuse: { web: *a }\n', COUNT, 5)).toMatch(/^the value is shared/);
    expect(await written('a.ts', 'export default {}', COUNT, 5)).toMatch(/^it is a program/);
    expect(await written('a.yaml', 'use: [web]\n', ['use', 'x', 'y'], 5)).toEqual(expect.any(String));
    expect(await written('a.yaml', 'use: 3\n', COUNT, 5)).toBe('"use" is not a map');
  });
});
