import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CODES_BY_KIND, type ErrorKind, httpStatusOf, kindsByCode, mcpErrorCodeOf } from '../core/error-kinds.js';
import { exitCodeOfKind } from '../core/exit-codes.js';
import { thrownCodes, writtenCodes, writtenExits } from '../test/support/error-codes.js';
import { sourceModules } from '../test/support/source-modules.js';

const read = (path: string) => readFile(resolve(import.meta.dirname, path), 'utf8');
const KINDS = Object.keys(CODES_BY_KIND) as ErrorKind[];

test('each code that the house writes has a kind', async () => {
  const written = writtenCodes(await sourceModules());
  expect(written.length).toBeGreaterThan(400);
  expect(written.filter(({ code }) => !kindsByCode().has(code))).toEqual([]);
});

test('the codes that have a kind are those that troubleshooting explains, and those of scripts', async () => {
  const rows = (await read('operate/troubleshooting.md')).split('\n').filter((line) => line.startsWith('| `'));
  const explained = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([a-z][a-z0-9-]+)`/g)].map(([, code = '']) => code),
  );
  const scripts = ['bad-name', 'exists', 'no-name', 'unknown-kind'];
  expect([...kindsByCode().keys()].sort()).toEqual([...new Set([...explained, ...scripts])].sort());
});

/** A code has one meaning, and therefore one kind, whatever the blame of its error. */
const OTHERWISE: readonly string[] = [
  // It is retried, because it may pass, and is a defect if it does not.
  'activities/failures.ts: unreachableError unexpected',
  'authoring/test-environments/server-definition.ts: bugError unknown-provider',
  'providers/aws/ec2/error-codes.ts: unreachableError network-in-use',
  'providers/aws/networks.ts: unreachableError network-in-use',
  'providers/demo/networks.ts: unreachableError network-in-use',
  'providers/hetzner/errors.ts: unreachableError in-use',
  'providers/hetzner/networks.ts: unreachableError network-in-use',
  'providers/local/errors.ts: unreachableError network-in-use',
  'scripts/engine-package/main.ts: inputError not-built',
  'scripts/link.ts: inputError not-built',
  'stores/feeds.ts: inputError feed-damaged',
  'workers/engine/binary/versions-of-home.ts: unreachableError unknown-version',
  'workers/engine/temporal-service/certificates.ts: unreachableError engine-certificates',
];

/** Places that pass on the error of another place, or the code of a table that has its blame too. */
const PASSED_ON: readonly string[] = [
  "app/operation/control.ts: unreachableError { code: unanswered.code, what: 'cancel the operation', on: o",
  'providers/aws/errors.ts: bugError details',
  'providers/aws/errors.ts: inputError details',
  'providers/aws/errors.ts: unreachableError { ...details, ...(retryAfterMs ? { retryAfterMs } : {}) }',
  "providers/hetzner/servers/create.ts: inputError { ...error.details, hint: error.details.hint ?? 'try again l",
];

test('an error that is made as bad input, as absent or as a defect ends as its kind does', async () => {
  const EXITS: Readonly<Record<string, number>> = { inputError: 2, unreachableError: 3, absentError: 3, bugError: 1 };
  const { codes: thrown, unseen } = thrownCodes(await sourceModules());
  expect(unseen.sort()).toEqual([...PASSED_ON].sort());
  expect(thrown.length).toBeGreaterThan(600);
  const other = thrown.filter(({ made, code }) => exitCodeOfKind(kindsByCode().get(code) ?? 'internal') !== EXITS[made]);
  expect([...new Set(other.map(({ path, made, code }) => `${path}: ${made} ${code}`))].sort()).toEqual([...OTHERWISE].sort());
});

test('an exit code that is written next to a code is that of its kind', async () => {
  const written = writtenExits(await sourceModules());
  expect(written.length).toBeGreaterThan(5);
  expect(written.filter(({ code, exitCode }) => exitCode !== exitCodeOfKind(kindsByCode().get(code) ?? 'internal'))).toEqual([]);
});

test('docs/reference/wire-names.md has the kinds with what follows from them, and their codes', async () => {
  const [, table = ''] = /<!-- error-kinds -->(.*)<!-- \/error-kinds -->/s.exec(await read('reference/wire-names.md')) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const expected = KINDS.map((kind) => {
    const codes = [...kindsByCode()].filter(([, one]) => one === kind).map(([code]) => `\`${code}\``);
    return `| \`${kind}\` | ${exitCodeOfKind(kind)} | ${httpStatusOf(kind)} | ${mcpErrorCodeOf(kind)} | ${codes.join(', ')} |`;
  });
  expect(rows).toEqual(expected);
});
