import { execFileSync } from 'node:child_process';
import { createSecretKey, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Step } from '../../../core/host/step.js';
import { reveal, type Text } from '../../../core/taskserv/secret.js';
import { createCipher } from '../../../encryption/cipher.js';
import { loadKeyring } from '../../../encryption/keyring.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import type { Transport } from '../transport.js';
import { executeSteps, undoSteps } from './execute.js';
import { openSealedFiles } from './sealed-journal.js';

const SECRETS: Record<string, string> = { db: "n3w it's", tls: '-----BEGIN-----\nAAAA\n-----END-----' };
const lookup = (text: Text) => reveal(text, (name) => SECRETS[name] ?? '');
const cipher = async (id: string) =>
  createCipher(await loadKeyring(async () => [{ id, secret: createSecretKey(randomBytes(32)), source: 'a test' }]));
const sealer = await cipher('one');
const job = {
  scope: { workspace: 'w', infra: 'shop', uuid: 'u' },
  server: 'db-1',
  operation: 'op-1',
  taskserv: 'x',
  generation: 1,
};

let folder: string;
let state: string;
let host: Transport;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sealed-journal-'));
  if (mayMount) ({ state, host } = journalHost(folder));
});
afterEach(() => rmSync(folder, { recursive: true }));

let acted: Step[] = [];
const act = (steps: Step[]) => {
  acted = steps;
  return executeSteps(host, { ...job, owner: 'u w shop', steps, sealer, reveal: lookup }, () => {});
};

async function undo(by = sealer) {
  const lines: string[] = [];
  const opened = await openSealedFiles(host, job, by);
  const outcome = await undoSteps(
    host,
    { ...job, steps: acted, opened },
    (event) => event.event === 'output' && lines.push(event.text),
  );
  return { ...outcome, lines, values: opened.flatMap((file) => file.values) };
}

/** All content of the host's journals, as text. */
const journal = () => execFileSync('grep', ['-ar', '', state], { encoding: 'latin1' });

const stepsOn = (path: string): Step[] => [
  { title: 'Write it', file: { path, content: ['password ', { $secret: 'db' }, '\n'], mode: '0640' } },
  {
    title: 'Note it',
    run: `cat >${path}.noted; printenv PASSWORD TLS PLAIN >>${path}.noted`,
    undo: `printenv PASSWORD TLS PLAIN >${path}.undone; rm ${path}.noted`,
    env: { PASSWORD: [{ $secret: 'db' }], TLS: [{ $secret: 'tls' }], PLAIN: 'plain' },
    stdin: [{ $secret: 'tls' }, '\n'],
  },
];

// Each mark of a journal waits for the disk.
describe.runIf(mayMount)('the journal of a host', { timeout: 120_000 }, () => {
  it('holds no secret once the work is done, and rolls back to the former file', async () => {
    const path = join(folder, 'conf');
    writeFileSync(path, 'password 0ld-password\n');
    chmodSync(path, 0o600);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    expect(await act(stepsOn(path))).toEqual({ how: 'ok' });
    expect(readFileSync(path, 'utf8')).toBe(`password ${SECRETS.db}\n`);
    expect(readFileSync(`${path}.noted`, 'utf8')).toBe(`${SECRETS.tls}\n${SECRETS.db}\n${SECRETS.tls}\nplain\n`);
    expect(journal()).toContain('plain');
    expect(journal()).not.toMatch(/n3w|it's|0ld-password|AAAA/);

    expect(await undo()).toMatchObject({ how: 'ok', values: [SECRETS.db, SECRETS.tls] });
    expect(readFileSync(path, 'utf8')).toBe('password 0ld-password\n');
    expect(statSync(path)).toMatchObject({ mtimeMs: 1_700_000_000_000 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${path}.undone`, 'utf8')).toBe(`${SECRETS.db}\n${SECRETS.tls}\nplain\n`);
    expect(existsSync(`${path}.noted`)).toBe(false);
    expect(journal()).not.toMatch(/n3w|it's|0ld-password|AAAA/);
    // An undone step is not undone again.
    writeFileSync(path, 'changed since\n');
    expect(await undo()).toMatchObject({ how: 'ok' });
    expect(readFileSync(path, 'utf8')).toBe('changed since\n');
  });

  it('holds none after a failure either, and rolls back', async () => {
    const path = join(folder, 'conf');
    writeFileSync(path, 'password 0ld-password\n');
    const failing: Step = { title: 'Fail', run: 'printenv PASSWORD; exit 3', undo: ':', env: { PASSWORD: [{ $secret: 'db' }] } };
    expect(await act([...stepsOn(path), failing])).toMatchObject({ how: 'failed', index: 2, exit: 3 });
    expect(journal().replace(/^[^:]*\/stream:.*$/gm, '')).not.toMatch(/n3w|0ld-password|AAAA/);
    expect(await undo()).toMatchObject({ how: 'ok' });
    expect(readFileSync(path, 'utf8')).toBe('password 0ld-password\n');
  });

  it('goes on after a failure without losing what was there before the first try', async () => {
    const path = join(folder, 'conf');
    writeFileSync(path, 'password 0ld-password\n');
    const gate: Step = { title: 'Wait', run: `test -e ${path}.gate`, undo: ':' };
    const steps = [...stepsOn(path), gate];
    expect(await act(steps)).toMatchObject({ how: 'failed' });
    writeFileSync(`${path}.gate`, '');
    expect(await act(steps)).toEqual({ how: 'ok' });
    expect(await undo()).toMatchObject({ how: 'ok' });
    expect(readFileSync(path, 'utf8')).toBe('password 0ld-password\n');
  });

  it('is not undone by who cannot open it: nothing is changed', async () => {
    const path = join(folder, 'conf');
    writeFileSync(path, 'password 0ld-password\n');
    await act(stepsOn(path));
    await expect(undo(await cipher('two'))).rejects.toMatchObject({ details: { code: 'journal-sealed', on: 'db-1/x' } });
    // A worker of a former release opens nothing.
    expect(await undoSteps(host, { ...job, steps: acted, opened: [] }, () => {})).toMatchObject({ how: 'failed' });
    expect(readFileSync(path, 'utf8')).toBe(`password ${SECRETS.db}\n`);
    expect(await undo()).toMatchObject({ how: 'ok' });
    expect(readFileSync(path, 'utf8')).toBe('password 0ld-password\n');
  });

  it('is undone as often as asked while it is there, and said to be missing once it is not', async () => {
    const path = join(folder, 'conf');
    await act(stepsOn(path));
    for (let time = 0; time < 2; time++) expect(await undo()).toMatchObject({ how: 'ok' });
    rmSync(join(state, 'operations'), { recursive: true });
    expect(await undo()).toMatchObject({ how: 'none' });
  });

  it('stays through the work of many later operations', async () => {
    const path = join(folder, 'conf');
    await act(stepsOn(path));
    for (let index = 0; index < 100; index++) mkdirSync(join(state, 'operations', `later-${index}`));
    await executeSteps(host, { ...job, operation: 'op-2', owner: 'u w shop', steps: [], sealer, reveal: lookup }, () => {});
    expect(await undo()).toMatchObject({ how: 'ok' });
    expect(existsSync(path)).toBe(false);
  });

  it('cannot be opened instead of another', async () => {
    const path = join(folder, 'conf');
    writeFileSync(path, 'password 0ld-password\n');
    await act(stepsOn(path));
    await expect(openSealedFiles(host, { ...job, server: 'db-2' }, sealer)).rejects.toMatchObject({
      details: { code: 'journal-sealed' },
    });
  });
});
