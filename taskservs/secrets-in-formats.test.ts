import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ProvisioningError } from '../core/errors.js';
import { asVariable, findSecretRefs } from '../core/taskserv/secret.js';
import { type AnyTaskserv, encodeSecret, FoundFile, reveal, type SecretRef, type Step, type Text } from '../sdk/index.js';
import { stepsOf } from '../sdk/testing/case.js';
import { readCases } from '../sdk/testing/case-files.js';
import { FORMAT_READERS } from '../test/support/format-readers.js';
import { HOSTILE_SECRETS, pieceIn } from '../test/support/hostile-secrets.js';
import { modules } from '../test/support/modules.js';

/** Services whose files have a secret among other text without a format, and why. */
const AS_IT_IS: Record<string, string> = {
  files: 'the author writes the text around the value, and the platform does not know its format',
};

interface Schema {
  kind?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** Patterns of the paths at which a schema takes a secret: `users\.\d+\.password`. */
function secretPaths(schema: Schema, path: readonly string[] = []): string[] {
  if (schema.kind === 'secret') return [path.join('\\.')];
  const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, one]) => secretPaths(one, [...path, name])),
    ...(typeof additionalProperties === 'object' ? secretPaths(additionalProperties, [...path, '[^.]+']) : []),
    ...(items ? secretPaths(items, [...path, '\\d+']) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => secretPaths(one, path)),
  ];
}

/** The configuration with a name of its own for each secret: that of its path. */
function named(value: unknown, path: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one, index) => named(one, [...path, String(index)]));
  if (typeof value !== 'object' || value === null) return value;
  if ('$secret' in value) return { $secret: path.join('.') };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one, [...path, key])]));
}

/** A place of a step at which a secret is written. */
interface Place {
  of: string;
  before: Text;
  ref: SecretRef;
  after: Text;
}

function textsOf(step: Step): [of: string, text: Text][] {
  if ('file' in step) return [[step.file.path, step.file.content]];
  if (!('run' in step)) return [];
  const env = Object.entries(step.env ?? {}).map(([name, value]): [string, Text] => [
    `$${name} of "${step.title}"`,
    asVariable(value),
  ]);
  return [...env, ...(step.stdin === undefined ? [] : [[`standard input of "${step.title}"`, step.stdin] as [string, Text]])];
}

const placesIn = (steps: readonly Step[]): Place[] =>
  steps
    .flatMap(textsOf)
    .flatMap(([of, text]) =>
      typeof text === 'string'
        ? []
        : text.flatMap((part, index) =>
            typeof part === 'string' ? [] : [{ of, before: text.slice(0, index), ref: part, after: text.slice(index + 1) }],
          ),
    );

const PLAIN = 'Ab0plain';
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleExam ann@example.org';
/** A value that each place takes as it is. */
const plainOf = ({ as }: SecretRef): string => (as === 'ssh-public-key' ? KEY : PLAIN);
const plain = (text: Text): string =>
  [text]
    .flat()
    .map((part) => (typeof part === 'string' ? part : reveal([part], () => plainOf(part))))
    .join('');

/** Whether nothing else stands in the text, but other secrets: a program reads all of a file, such as a key and its certificate. */
const isWhole = ({ before, after }: Place): boolean =>
  [...before, ...after].every((part) => typeof part !== 'string' || part === '\n');

interface Known {
  taskserv: AnyTaskserv;
  fields: string[];
  configured: string[];
  places: Place[];
}

function known(name: string, taskserv: AnyTaskserv): Known {
  const schema = z.toJSONSchema(taskserv.config, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema;
  const cases = readCases(join(import.meta.dirname, name)).filter(([, { action = 'plan' }]) => action === 'plan');
  const wanted = cases.map(([, given]) => ({ ...given, facts: {}, config: named(given.config ?? {}) as object }));
  const places = wanted.flatMap((given) => placesIn(stepsOf(taskserv, given)));
  return {
    ...{ taskserv, fields: [...new Set(secretPaths(schema))] },
    configured: wanted.flatMap(({ config }) => findSecretRefs(config).map(({ path }) => path.join('.'))),
    places: [
      ...new Map(
        places.map((place) => [
          `${place.of} ${place.ref.$secret} ${place.ref.as} ${plain(place.before).split('\n').at(-1)}`,
          place,
        ]),
      ).values(),
    ],
  };
}

const all = Object.entries(modules.taskservs)
  .map(([name, taskserv]) => [name, known(name, taskserv as AnyTaskserv)] as const)
  .filter(([, { fields }]) => fields.length > 0);

test('a shell reads what is written for EnvironmentFile= of systemd alike', () => {
  const values = HOSTILE_SECRETS.filter((value) => value.length < 10_000 && !/[\0\ufffe]/.test(value));
  const lines = values.map((value, index) => `V${index}=${encodeSecret('environment-file', value)}\n`);
  const print = values.map((_, index) => `printf '%s\\0' "$V${index}"\n`);
  const { stdout } = spawnSync('bash', ['-eu'], { input: [...lines, ...print].join(''), encoding: 'utf8' });
  expect(stdout.split('\0').slice(0, -1)).toEqual(values);
});

test('most services take secrets, in more than twenty fields', () => {
  expect(all.length).toBeGreaterThan(20);
  expect(HOSTILE_SECRETS.length).toBeGreaterThanOrEqual(40);
});

/** Value that the program reads, or `refused`, with the error's text and the difference of the file. */
function readBack({ before, ref, after }: Place, value: string): { read: string; said: string } {
  const others = new Map(
    [...before, ...after].flatMap((part) => (typeof part === 'string' ? [] : [[part.$secret, plainOf(part)]])),
  );
  const lookup = (name: string) => (name === ref.$secret ? value : (others.get(name) ?? PLAIN));
  try {
    const written = reveal([ref], lookup);
    const behind = plain(after);
    const whole = plain(before) + written + behind;
    const shown = new FoundFile('/x', { exists: true, content: whole, mode: '0600', owner: 'root:root' }, (text) =>
      reveal(text, lookup),
    );
    const { before: former, after: next } = shown.shown([...before, ref, ...after]);
    const said = `${former}${next}`;
    if (ref.as === undefined || ref.as === 'variable') return { read: written, said };
    const found = FORMAT_READERS[ref.as](written + behind);
    if (found === undefined) return { read: 'the program refuses it', said };
    return { read: found.length === written.length ? found.value : 'the text ends elsewhere', said };
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    expect(error.details).toMatchObject({ code: 'secret-not-expressible', on: ref.$secret });
    return { read: 'refused', said: JSON.stringify([error.message, error.details]) };
  }
}

describe.each(all)('secrets of %s', (name, { fields, configured, places }) => {
  test.each(fields)('a case has a secret at %s', (field) => {
    expect(configured.filter((path) => new RegExp(`^${field}$`).test(path))).not.toEqual([]);
  });

  test.each(fields)('what is written of %s names its format, or is all of a file', (field) => {
    const written = places.filter(({ ref }) => new RegExp(`^${field}$`).test(ref.$secret));
    const raw = written.filter((place) => place.ref.as === undefined && !isWhole(place));
    expect(raw.map(({ of, before }) => `${of}: ${plain(before).split('\n').at(-1)}…`)).toEqual(
      name in AS_IT_IS ? expect.anything() : [],
    );
  });

  const rows = places.filter((place) => !(name in AS_IT_IS) || place.ref.as !== undefined);
  test.each(rows.map((place) => [place.of, place.ref.$secret, place] as const))(
    '%s has %s as it is, or refuses it',
    (_, __, place) => {
      const known = plainOf(place.ref);
      const ours = readBack(place, known).said;
      for (const value of HOSTILE_SECRETS) {
        const { read, said } = readBack(place, value);
        if (read !== 'refused') expect(read).toBe(value);
        expect(pieceIn(said, value, ours)).toBeUndefined();
      }
      expect(readBack(place, known).read).toBe(known);
    },
  );
});
