import { expect, test } from 'vitest';
import { keyPlaces } from './key-places.js';

const OBJECT = `{
  infra: 'shop', // { servers: [] }
  "servers": [
    { name: \`w\${'}'}eb\`, labels: { 'a b': 'c' }, plan: size as string, taskservs },
    ...more,
    { name: 'db' },
  ],
  taskservs: [make({ name: 'x' }), { name: 'redis', config: { pattern: /[}"'\`]/, port: 1 } }] satisfies Entry[],
  get protect() { return true },
}`;

const SHAPES: [string, string][] = [
  ['alone', `export default ${OBJECT};`],
  ['given to a function', `export default defineInfra(${OBJECT});`],
  ['given with a type', `export default defineInfra<{ a: 1 }>(${OBJECT});`],
  ['under a name', `const other = { infra: 1 }; const shop: Infra = defineInfra(${OBJECT}); export default shop;`],
  ['of an arrow function', `export default defineInfra(({ env }: { env?: string }) => (${OBJECT}));`],
  ['of a function', `export default function (given) { if (given) { go(); } return ${OBJECT}; }`],
  ['of an arrow function with a body', `export default ({ env }) => { return ${OBJECT}; }`],
];

const placed = (program: string, word: string) => {
  const lines = program.slice(0, program.indexOf(word)).split('\n');
  return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
};

test.each(SHAPES)('the keys of an object %s', (_, program) => {
  const places = keyPlaces(program);
  const at = (path: (string | number)[], by: 'key' | 'value' = 'value') => {
    const { line, column } = places(path, by);
    return `${line}:${column}`;
  };
  expect(at(['infra'])).toBe('2:10');
  expect(at(['infra'], 'key')).toBe('2:3');
  expect(at(['servers'], 'key')).toBe('3:3');
  expect(at(['servers', 0, 'name'])).toBe('4:13');
  expect(at(['servers', 0, 'labels', 'a b'], 'key')).toBe('4:36');
  expect(at(['servers', 0, 'plan'], 'key')).toBe('4:50');
  expect(at(['servers', 0, 'taskservs'], 'key')).toBe('4:72');
  expect(at(['servers', 0, 'gone', 'deeper'])).toBe('4:5');
  // The index after a spread is unknown.
  expect(at(['servers', 5, 'name'])).toBe('3:14');
  expect(at(['taskservs', 0, 'name'])).toBe('8:15');
  expect(at(['taskservs', 1, 'config', 'port'], 'key')).toBe('8:82');
  expect(at(['gone'])).toBe(placed(program, 'export'));
});

test.each(['', 'export default 1', 'export default', 'const a = {', '`${`', '/*', 'export default { a: [[[', 'x'.repeat(10_000)])(
  'what is no object has no places, and is no fault: %j',
  (program) => expect(keyPlaces(program)(['a', 'b'], 'key').line).toBe(1),
);
