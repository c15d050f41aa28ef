/** `npm run acceptance -- PROVIDER --max-cost AMOUNT`: runs a provider's contract on your own account. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { EXIT, exitCodeOfError } from '../../core/exit-codes.js';
import { type Account, accountOf, LABELS, MOST_SERVERS, pricesOf } from './account.js';
import { sweep } from './sweep.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const HELP = `npm run acceptance -- PROVIDER --max-cost AMOUNT

Runs the contract of a provider (docs/reference/clouds/contract.md) on a real account: it makes servers, networks and volumes,
labels all of them (workspace "${LABELS.workspace}"), and deletes them at the end.

  PROVIDER             hetzner, upcloud or aws, with an account: hetzner/test; credentials come from the environment
  --max-cost AMOUNT    in the currency of the price list; refuses to begin, and to make a server, beyond it
  --sweep              only delete what bears the labels of runs, such as after a kill
  --check              only show what a run would make and cost
  --record FILE        write the calls and answers, without credentials, keys, ids and addresses
  --yes                do not ask
  --json               one document

Exit codes: 0 all cases passed and nothing is left, 1 a case failed or something is left, 2 bad input or beyond the ceiling,
3 the provider cannot be reached, 5 a person said no, 130 Ctrl-C: it sweeps first.
`;

interface Flags {
  'max-cost'?: string;
  sweep?: boolean;
  check?: boolean;
  record?: string;
  yes?: boolean;
  json?: boolean;
  help?: boolean;
}

const badArguments = (why: string) =>
  inputError({ code: 'bad-arguments', what: 'read the command line', why, hint: 'npm run acceptance -- --help' });

function readArguments(): { provider: string; flags: Flags } {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  const options = { 'max-cost': text, record: text, sweep: flag, check: flag, yes: flag, json: flag, help: flag };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (!values.help && positionals.length !== 1) throw new Error('exactly one provider is needed');
    return { provider: positionals[0] ?? '', flags: values };
  } catch (error) {
    throw badArguments(error instanceof Error ? error.message : String(error));
  }
}

async function main(): Promise<number> {
  const { provider, flags } = readArguments();
  if (flags.help) {
    process.stdout.write(HELP);
    return EXIT.done;
  }
  const say = (text: string) => flags.json || process.stdout.write(`${text}\n`);
  const ceiling = Number(flags['max-cost']);
  if (!flags.sweep && !(ceiling > 0)) throw badArguments('--max-cost needs an amount above 0');
  const account = await accountOf(provider, process.env);
  if (flags.sweep) {
    const swept = await sweep(account.connection, { provider, say });
    return ended(flags, { ...swept }, swept.left.length === 0 ? EXIT.done : EXIT.failed);
  }
  const { hourly, currency } = await pricesOf(account);
  const planned = { servers: MOST_SERVERS, highest: Number((MOST_SERVERS * hourly).toFixed(4)), currency, ceiling };
  say(
    `at ${provider}: up to ${planned.servers} servers, one after the other, with networks and volumes\nhighest cost: ${planned.highest} ${currency}, if each is billed for an hour of the dearest; ceiling: ${ceiling} ${currency}`,
  );
  if (planned.highest > ceiling) {
    const why = `it may cost ${planned.highest} ${currency}, and the ceiling is ${ceiling}`;
    throw inputError({
      code: 'cost-ceiling',
      what: 'begin the run',
      on: provider,
      why,
      hint: `--max-cost ${Math.ceil(planned.highest)}`,
    });
  }
  if (flags.check) return ended(flags, { planned }, EXIT.done);
  if (!flags.yes && !(await confirmed(flags))) return EXIT.canceled;
  return run(provider, account, { flags, planned, say });
}

async function confirmed({ json }: Flags): Promise<boolean> {
  if (json || !process.stdin.isTTY) throw badArguments('it cannot ask without a terminal: add --yes');
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question('Begin? (y/N) ');
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}

interface Run {
  flags: Flags;
  planned: { servers: number; highest: number; currency: string; ceiling: number };
  say(text: string): unknown;
}

async function run(provider: string, account: Account, { flags, planned, say }: Run): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'acceptance-'));
  const report = join(folder, 'spent.json');
  const cases = join(folder, 'cases.json');
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/acceptance/vitest.config.ts',
    '--reporter=json',
    `--outputFile=${cases}`,
  ];
  const env = {
    ...process.env,
    ...{ ACCEPTANCE_PROVIDER: provider, ACCEPTANCE_CEILING: String(planned.ceiling), ACCEPTANCE_REPORT: report },
    ...(flags.record && { ACCEPTANCE_RECORDING: flags.record }),
  };
  let interrupted = false;
  try {
    const output = flags.json ? 'ignore' : 'inherit';
    const reporters = flags.json ? [] : ['--reporter=verbose'];
    const child = spawn(process.execPath, [...args, ...reporters], { cwd: ROOT, env, stdio: ['ignore', output, output] });
    const stop = () => {
      interrupted = true;
      child.kill('SIGTERM');
    };
    process.once('SIGINT', stop).once('SIGTERM', stop);
    await new Promise((resolve) => child.once('close', resolve));
    say('sweeping');
    const swept = await sweep(account.connection, { provider, say });
    const rows = casesIn(cases);
    const failed = rows.filter(({ status }) => status === 'failed');
    const spent = readJson<{ servers: number; spent: number }>(report);
    const isGood = rows.length > 0 && failed.length === 0 && swept.left.length === 0;
    const document = {
      planned,
      ...(spent && { spent }),
      ...{ passed: rows.filter(({ status }) => status === 'passed').length, failed: failed.map(({ title }) => title) },
      ...{ skipped: rows.filter(({ status }) => status === 'skipped' || status === 'pending').length, ...swept },
    };
    return ended(flags, document, interrupted ? EXIT.interrupted : isGood ? EXIT.done : EXIT.failed);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

const casesIn = (file: string) =>
  readJson<{ testResults: { assertionResults: { title: string; status: string }[] }[] }>(file)?.testResults.flatMap(
    ({ assertionResults }) => assertionResults,
  ) ?? [];

/** Reports the end of the run. */
function ended({ json }: Flags, document: Record<string, unknown>, code: number): number {
  if (json) process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  else
    for (const [name, value] of Object.entries(document).filter(([name]) => name !== 'planned'))
      process.stdout.write(`${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}\n`);
  return code;
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  if (!(error instanceof ProvisioningError)) return EXIT.failed;
  if (error.details.hint) process.stderr.write(`hint: ${error.details.hint}\n`);
  return exitCodeOfError(error.details);
});
