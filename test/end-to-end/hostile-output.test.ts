import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeMessage } from '../../encryption/decode-message.js';
import { filesWith, newCanary, sightings } from '../support/canary.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf, type Written } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { type Machines, startMachines } from '../support/machines.js';
import { run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const MACHINES = `hostile-output-${process.pid}`;
const timing = { healthMs: 3_000, heartbeatMs: 5_000, retryMs: 200, giveUpMs: 30_000 };

const TOKEN = '/etc/shop/token';
/** A secret of `files`. A program may print it whole, or as a shell splits it. */
const canary = newCanary();
const secret = `first-${canary} second-${canary}`;
/** Not a secret: it proves that a program's output is stored, and stored encrypted. */
const plain = newCanary();
const said = `echo ${plain}`;

interface Command {
  run: string;
  check?: string;
  undo?: string;
}

/** Ways in which text of a host reaches the operation, by a service that does not own the secret. */
const WAYS: [string, Record<string, Command>, string?][] = [
  [
    'the output of a step, in several forms',
    { a: { run: `${said}; cat ${TOKEN}; base64 -w0 ${TOKEN}; echo; od -An -v -tx1 ${TOKEN} | tr -d ' \\n'; exit 7` } },
  ],
  ['its standard error', { a: { run: `${said}; cat ${TOKEN} >&2; exit 7` } }],
  ['what a shell says of a word', { a: { run: `${said}; eval "$(cat ${TOKEN})"; exit 7` } }],
  [
    'the end of a line that is longer than any piece of it',
    { a: { run: `${said}; head -c 70000 /dev/zero | tr '\\0' x; cat ${TOKEN}; exit 7` } },
  ],
  [
    'the middle of a line that is cut',
    {
      a: { run: `${said}; head -c 65510 /dev/zero | tr '\\0' x; cat ${TOKEN}; head -c 1990 /dev/zero | tr '\\0' y; echo; exit 7` },
    },
  ],
  ['a check of its health', { a: { run: said, check: `cat ${TOKEN} >&2; false` } }],
  ['an undo', { a: { run: said, undo: `cat ${TOKEN}; false` }, b: { run: 'false' } }],
  ['a validator', {}, `cat ${TOKEN}; ${said}; false`],
];

describe.skipIf(why)('what programs of a host print', () => {
  let engine: TestEngine;
  let machines: Machines;
  const shell = (script: string) => shellOf(MACHINES, 'box')(script);
  /** All displayed texts, from every command and page. */
  const shown: string[] = [];
  const operations: string[] = [];

  const define = (infra: string, taskservs: Written['taskservs']) =>
    definitionOf({ infra, provider: 'local', servers: [{ name: 'box', host: machines.host('box') }], taskservs }, ['token']);
  const files = (validate?: string) => ({
    name: 'files',
    config: {
      files: {
        token: { path: TOKEN, content: '@TOKEN@\n', values: { TOKEN: { secret: 'token' } }, mode: '0600' },
        ...(validate && { page: { path: '/etc/shop/page', content: `${validate.length}`, validate } }),
      },
    },
  });
  const shop = (commands: Record<string, Command>, validate?: string) => {
    const own = Object.keys(commands).length > 0 ? [{ name: 'commands', config: { commands } }] : [];
    return { infra: 'shop', definition: define('shop', [files(validate), ...own]), timing };
  };

  withHostEngine(MACHINES, async (started) => {
    engine = started;
    machines = await startMachines(engine, MACHINES, ['box']);
    expect((await provisioning(engine, ['secret', 'set', 'token'], secret)).code).toBe(0);
    await runWell(engine, shop({}));
    expect(await shell(`cat ${TOKEN}`)).toBe(secret);
  });

  test.each(WAYS)('names no secret of another service: %s', async (_, commands, validate) => {
    const result = await run(engine, { ...shop(commands, validate), onFailure: 'rollback' });
    expect(result.status).not.toBe('done');
    operations.push(result.operation);
    const texts = [JSON.stringify(result)];
    for (const args of [
      ['workflow', 'status', result.operation],
      ['logs', result.operation, '--json'],
    ]) {
      const { stdout, stderr } = await provisioning(engine, args);
      texts.push(stdout, stderr);
    }
    const all = texts.join('\n');
    expect(sightings(canary, all)).toEqual([]);
    expect(all).toContain('***');
    shown.push(all);
  });

  test('names none in a preview that shows the file of somebody else, line by line', async () => {
    await shell(`cp ${TOKEN} /etc/shop/page; echo ${plain} >>/etc/shop/page; chmod 644 /etc/shop/page`);
    const preview = await run(engine, { ...shop({}, 'true'), check: true, diff: true });
    const text = JSON.stringify(preview);
    expect(sightings(canary, text)).toEqual([]);
    // The diff was shown, with its non-secret text.
    expect(text).toContain(`-${plain}`);
    shown.push(text);
  });

  test('is kept nowhere in plain text, and shown by those who may', async () => {
    // Text that is not secret was printed and is displayed.
    expect(shown.join('\n')).toContain(plain);
    expect(await filesWith(canary, engine.home.root)).toEqual([]);
    expect(await filesWith(plain, engine.home.operations)).toEqual([]);
    const worker = await readFile(join(engine.home.logs, 'worker.log'), 'utf8');
    expect(worker).toContain('Activity failed');
    for (const text of [canary, plain]) expect(sightings(text, worker)).toEqual([]);
    const codec = engine.encryption.codec(engine.temporal.options.namespace, engine.payloads, 'show');
    for (const id of operations) {
      const history = await decodeMessage(codec, await engine.temporal.workflow.getHandle(id).fetchHistory());
      const bytes = Buffer.concat(dataIn(history));
      expect(bytes.length).toBeGreaterThan(1_000);
      expect(sightings(canary, bytes)).toEqual([]);
    }
  });

  test('is nothing of a host of another infra: no check of a stranger runs there, and the same of its own infra does', async () => {
    const probe = (infra: string) => ({
      infra,
      definition: define(infra, [
        { name: 'commands', config: { commands: { look: { run: 'true', check: `id >>/root/asked-by-${infra}` } } } },
      ]),
      timing,
    });
    for (const check of [true, false]) {
      const refused = await run(engine, { ...probe('blog'), check });
      expect(refused.error?.code).toBe('host-managed-by-another');
      expect(refused.error?.why).toContain('infra "shop" of workspace "default"');
    }
    expect(await shell('ls /root/asked-by-blog 2>/dev/null || true')).toBe('');
    await runWell(engine, { ...probe('shop'), check: true });
    expect(await shell('head -n 1 /root/asked-by-shop')).toContain('uid=0(root)');
  });
});

/** Returns the data of all payloads in a history. */
function dataIn(value: unknown): Buffer[] {
  if (value instanceof Uint8Array) return [Buffer.from(value)];
  if (typeof value === 'string') return [Buffer.from(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(dataIn);
}
