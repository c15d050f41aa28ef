import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { cacheOf } from '../../home/home.js';
import { holdLock } from '../../workers/engine/processes/lock.js';

const VERSION = '4.32.5';

/** Program of Schemathesis in the user's cache. It is installed there once, from the package registry of pip. */
export async function installSchemathesis(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const folder = join(cacheOf(env), `schemathesis-${VERSION}`);
  return holdLock(`${folder}.lock`, async () => {
    const program = join(folder, 'bin/st');
    if (existsSync(join(folder, 'installed'))) return program;
    await rm(folder, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await execa('python3', ['-m', 'venv', folder], { timeout: 120_000 });
    const install = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', `schemathesis==${VERSION}`];
    await execa(join(folder, 'bin/python'), install, { timeout: 600_000 });
    await writeFile(join(folder, 'installed'), '');
    return program;
  });
}

export interface FuzzRun {
  /** Address of the server. A file with its authority and a token follow. */
  url: string;
  caFile: string;
  token: string;
  /** File with the OpenAPI document. */
  document: string;
  /** Methods by their names. */
  methods: readonly string[];
  examples: number;
  seed: number;
  /** For the configuration and the report. */
  folder: string;
}

export interface FuzzResult {
  requests: number;
  /** Failures and errors that Schemathesis reports. */
  failures: string[];
  /** Number of responses by `VERB /path`, by status. */
  statuses: Map<string, Map<number, number>>;
}

/** A right input may be refused for what is there or not, for the rights of a caller, and for limits. */
const CONFIG = `headers = { Authorization = "Bearer \${FUZZ_TOKEN}" }

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "412", "413", "424", "429", "503"]
`;

/** Sends random requests, right and wrong ones, and holds the answers against the document by all checks. */
export async function runSchemathesis(program: string, run: FuzzRun): Promise<FuzzResult> {
  const reports = join(run.folder, 'reports');
  await mkdir(reports, { recursive: true });
  await writeFile(join(run.folder, 'schemathesis.toml'), CONFIG);
  const names = run.methods.map((name) => name.replace('.', '\\.')).join('|');
  const args = [
    ...['run', run.document, '--url', run.url, '--tls-verify', run.caFile, '--checks', 'all', '--no-color', '--no-shrink'],
    ...['--phases', 'coverage,fuzzing', '--max-examples', String(run.examples), '--seed', String(run.seed)],
    ...['--include-operation-id-regex', `^(${names})$`, '--request-timeout', '90'],
    ...['--report', 'ndjson,json', '--report-dir', reports],
  ];
  const env = { PATH: process.env.PATH, HOME: run.folder, FUZZ_TOKEN: run.token };
  const ran = await execa(program, args, { cwd: run.folder, env, extendEnv: false, reject: false, all: true });
  const files = await readdir(reports);
  const summary = files.find((name) => name.startsWith('json-'));
  if (summary === undefined) throw new Error(`Schemathesis wrote no report: ${ran.all}`);
  const { test_cases, failures, errors } = JSON.parse(await readFile(join(reports, summary), 'utf8')) as {
    test_cases: { generated: number };
    failures: { title: string; operations: string[] }[];
    errors: unknown[];
  };
  const found = failures.map(({ title, operations }) => `${title}: ${operations.join(', ')}`);
  const statuses = await countStatuses(join(reports, files.find((name) => name.startsWith('ndjson-')) as string));
  return { requests: test_cases.generated, failures: [...found, ...errors.map((one) => JSON.stringify(one))], statuses };
}

interface Scenario {
  ScenarioFinished?: { recorder: { label: string; interactions: Record<string, { response?: { status_code: number } | null }> } };
}

async function countStatuses(file: string): Promise<FuzzResult['statuses']> {
  const all: FuzzResult['statuses'] = new Map();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line.startsWith('{"ScenarioFinished"')) continue;
    const { recorder } = (JSON.parse(line) as Scenario).ScenarioFinished ?? {};
    if (!recorder) continue;
    const counts = all.get(recorder.label) ?? new Map<number, number>();
    all.set(recorder.label, counts);
    for (const { response } of Object.values(recorder.interactions))
      if (response) counts.set(response.status_code, (counts.get(response.status_code) ?? 0) + 1);
  }
  return all;
}
