import { expect, test } from 'vitest';
import { thrownCodes, writtenCodes, writtenExits } from '../test/support/error-codes.js';
import { modulesOf } from '../test/support/source-modules.js';

const TABLE = `
import { TRANSIENT } from '../sdk/index.js';
export const MEANINGS: Record<string, Meaning> = { A: { code: 'of-a-table', blame: 'bug' }, B: user('of-a-helper'), C: { code: 'of-weather', blame: TRANSIENT } };
export const REFUSALS = { a: { code: 'of-a-row', hint: 'x' } };
export const KIND = { code: 'of-a-constant' };
export function detourOf(way: string) { return way === '' ? undefined : { code: 'of-a-function', why: way }; }
function user(code: string) { return { code, blame: 'user' }; }
`;

/** The codes thrown by a statement, next to what it may import. */
const thrownBy = (statement: string) => {
  const source = `import { detourOf, KIND, MEANINGS, REFUSALS } from './table.js';\n${statement}`;
  const { codes, unseen } = thrownCodes(modulesOf(new Map(Object.entries({ 'core/one.ts': source, 'core/table.ts': TABLE }))));
  return [...codes.filter(({ path }) => path === 'core/one.ts').map(({ made, code }) => `${made} ${code}`), ...unseen];
};

test.each([
  ['as it is', `throw inputError({ code: 'plain', why });`, ['inputError plain']],
  [
    'by a condition',
    `throw bugError({ code: late ? 'early-one' : 'late-one', why });`,
    ['bugError early-one', 'bugError late-one'],
  ],
  ['by what may be absent', `throw bugError({ code: known ?? 'other-one', why });`, ['bugError other-one']],
  ['by a spread', `const about = { code: 'spread', what: 'x' };\nthrow inputError({ ...about, why });`, ['inputError spread']],
  ['over a spread', `const about = { code: 'spread' };\nthrow inputError({ ...about, code: 'over' });`, ['inputError over']],
  ['under a spread', `throw inputError({ code: 'under', ...KIND });`, ['inputError under', 'inputError of-a-constant']],
  ['by a spread of a row', `const row = REFUSALS[name];\nthrow inputError({ ...row, why });`, ['inputError of-a-row']],
  ['by a spread of a function', `const detour = detourOf(x);\nthrow inputError({ ...detour, why });`, ['inputError of-a-function']],
  ['by a name', `const { code, why } = KIND;\nthrow absentError({ code, why });`, ['absentError of-a-constant']],
  [
    'by a helper',
    `const refuse = (code: string) => inputError({ code, why });\nthrow refuse('given-one');`,
    ['inputError given-one'],
  ],
  [
    'by a type',
    `const no = ({ code }: { code: 'a-one' | 'b-one' }) => inputError({ code });`,
    ['inputError a-one', 'inputError b-one'],
  ],
  [
    'by a template',
    `const no = (kind: 'a' | 'b') => inputError({ code: \`no-\${kind}\` });`,
    ['inputError no-a', 'inputError no-b'],
  ],
  ['as absent', `throw inputError({ code: 'no-room', absent: true });`, ['absentError no-room']],
  [
    'by one condition with its maker',
    `throw (may ? absentError : inputError)({ code: may ? 'off' : 'denied', why });`,
    ['absentError off', 'inputError denied'],
  ],
  ['not at all', 'throw inputError(error.details);', ['core/one.ts: inputError error.details']],
])('a code that is thrown %s is seen', (_, statement, expected) => {
  expect(thrownBy(statement)).toEqual(expected);
});

test('a table and a helper that have the blame say what makes the error', () => {
  const { codes } = thrownCodes(
    modulesOf(
      new Map([
        ['core/table.ts', TABLE],
        ['sdk/index.ts', `export { TRANSIENT } from '../core/blame.js';`],
        ['core/blame.ts', `export const TRANSIENT = 'weather';`],
      ]),
    ),
  );
  expect(codes.map(({ made, code }) => `${made} ${code}`)).toEqual([
    'bugError of-a-table',
    'unreachableError of-weather',
    'inputError of-a-helper',
  ]);
});

test('codes and exit codes are read where they are written', () => {
  const source = `const a = { code: bad ? 'bad-one' : 'good-one', exitCode: 2 };\nthrow transient('x', 'of-a-call');`;
  const modules = modulesOf(new Map([['core/one.ts', source]]));
  expect(writtenCodes(modules).map(({ code }) => code)).toEqual(['bad-one', 'good-one', 'of-a-call']);
  expect(writtenExits(modules).map(({ code, exitCode }) => [code, exitCode])).toEqual([
    ['bad-one', 2],
    ['good-one', 2],
  ]);
});
