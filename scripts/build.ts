/** Builds `dist/` from the sources. Run by `npm run build`; quick when nothing has changed. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { buildInputs, stampOf } from './build-inputs.js';
import { buildWorkflows, FAILURES } from './build-workflows.js';
import { lazyPackages } from './lazy-packages.js';
import { buildPack, removeFormerPack } from './pack/build-pack.js';
import { buildWorkerPack } from './pack/build-worker-pack.js';
import { PROGRAM_OPTIONS, REQUIRE } from './pack/program-options.js';
import { withoutNode } from './without-node.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

/**
 * Packages outside the bundle: native code, packages that are only used with Temporal, and large packages that are
 * seldom used.
 */
const OUTSIDE = [
  ...['@temporalio/*', 'protobufjs', 'ssh2', 'cpu-features', 'dockerode', 'pg', '@aws-sdk/*'],
  ...['kysely', 'libsql'],
  ...['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'],
];

/** Programs. A program that a person starts bundles its libraries; a long-running one loads them from node_modules. */
const PROGRAMS: { entries: Record<string, string>; options: BuildOptions }[] = [
  {
    entries: {
      cli: 'cli/main.ts',
      engine: 'workers/engine/main.ts',
      supervisor: 'workers/engine/processes/supervisor.ts',
      index: 'authoring/index.ts',
      client: 'client/http/connect-server.ts',
      sdk: 'sdk/index.ts',
      'sdk-testing': 'sdk/testing/index.ts',
    },
    options: { external: OUTSIDE, plugins: [lazyPackages(OUTSIDE)] },
  },
  { entries: { worker: 'workers/worker.ts' }, options: { packages: 'external' } },
  { entries: { serve: 'workers/api/main.ts' }, options: { packages: 'external' } },
  // The compiler input for modules of workspaces. They run without Node.
  {
    entries: { 'module/sdk': 'sdk/module/index.ts', 'module/zod': 'sdk/module/zod.ts', 'module/serve': 'sdk/module/serve.ts' },
    options: { platform: 'neutral', mainFields: ['module', 'main'], banner: {}, plugins: [withoutNode] },
  },
  // Loaded by `require`, which does not accept ES modules.
  {
    entries: {
      'failure-converter': FAILURES,
      'workflow-threads': 'workers/workflow-threads.ts',
      start: 'cli/start/start.ts',
      worker: 'workers/start/start-worker.ts',
      'workflow-thread': 'workers/start/workflow-thread.ts',
    },
    options: { packages: 'external', format: 'cjs', splitting: false, banner: {}, outExtension: { '.js': '.cjs' } },
  },
];

/**
 * Commands that are run to compile their code. Code that follows the worker's answer is short and compiled on demand.
 */
const COMMANDS = [
  ['--help'],
  ['status', '--json'],
  ['validate', 'examples/quickstart.yaml'],
  ['apply', 'examples/quickstart.yaml', '--yes', '--json'],
].map((words) => ({ script: 'scripts/pack/record-command.ts', args: [join(dist, 'cli.js'), ...words] }));

async function main(): Promise<void> {
  await mkdir(dist, { recursive: true });
  await rm(stampOf(root), { force: true });
  // Compute the hash before reading anything: changes during the build are not in it, or only in part.
  const inputs = buildInputs(root);
  // Imported later, so that changes to the declarations' builder do not count as changes to the programs.
  const { buildDeclarations } = await import('./build-declarations.js');
  const [programs, workflows] = await Promise.all([buildPrograms(), buildWorkflows(root, dist), buildDeclarations(root, dist)]);
  await cp(join(root, 'workers/engine/temporal'), join(dist, 'temporal'), { recursive: true });
  await copyApiDocs();
  const worker = programs.filter(({ program }) => program !== 'cli' && program !== 'serve').map(({ text }) => text);
  const built = hash([...worker.sort(), workflows?.code ?? '']);
  const commands = { target: join(dist, 'cli.pack'), chunks: chunksOf(programs, 'cli.js'), banner: REQUIRE, runs: COMMANDS };
  // From now on, workers are of the new build, so its commands must be, too.
  await removeFormerPack(root, commands);
  await workflows?.keep();
  await keep(join(dist, 'build-id'), `${built}\n`);
  const warnings = [...(await buildPack(root, commands)), ...(await buildWorkerPack(root, built))];
  if (warnings.length > 0) console.warn(`build: ${warnings.join('; ')}`);
  await sweep(new Set(programs.map(({ path }) => path)));
  await keep(stampOf(root), inputs);
}

/** Copies the page with the API documentation, which the server serves. */
async function copyApiDocs(): Promise<void> {
  const from = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
    await cp(join(from, name), join(dist, 'api-docs', name));
}

/** Returns the texts of a program and its chunks, by name. */
function chunksOf(outputs: readonly Output[], program: string): Map<string, string> {
  const byName = new Map(outputs.map((output) => [basename(output.path), output]));
  const chunks = new Map<string, string>();
  const add = (name: string): void => {
    const output = byName.get(name);
    if (!output || chunks.has(name)) return;
    chunks.set(name, output.text);
    for (const imported of output.imports) add(imported);
  };
  add(program);
  return chunks;
}

interface Output {
  path: string;
  text: string;
  /** First entry of its build. */
  program: string;
  /** Names of the chunks that it loads, immediately or later. */
  imports: string[];
}

async function buildPrograms(): Promise<Output[]> {
  const outputs: Output[] = [];
  for (const { entries, options } of PROGRAMS) {
    const present = Object.entries(entries).filter(([, source]) => existsSync(join(root, source)));
    for (const [name, source] of Object.entries(entries)) {
      if (!existsSync(join(root, source))) console.warn(`build: ${name}: skipped, there is no ${source}`);
    }
    if (present.length === 0) continue;
    const { outputFiles = [], metafile } = await build({
      ...PROGRAM_OPTIONS,
      absWorkingDir: root,
      entryPoints: Object.fromEntries(present),
      outdir: dist,
      metafile: true,
      logLevel: 'warning',
      ...options,
    });
    for (const { path, text } of outputFiles) {
      await keep(path, text);
      const imports = metafile?.outputs[relative(root, path)]?.imports ?? [];
      const names = imports.filter(({ external }) => !external).map((one) => basename(one.path));
      outputs.push({ path, text, program: Object.keys(entries)[0] ?? '', imports: names });
    }
  }
  return outputs;
}

/**
 * Writes the file only if it differs, and renames it into place. A program that starts at that moment never reads a
 * partial file.
 */
async function keep(path: string, text: string): Promise<void> {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}`, text);
  await rename(`${path}.${process.pid}`, path);
}

const DAY_MS = 24 * 3600 * 1000;

/**
 * Removes old chunks a day later, since a running worker may still load chunks of the former build. Also removes what
 * builds that were killed did not rename.
 */
async function sweep(current: Set<string>): Promise<void> {
  const chunks = join(dist, 'chunks');
  const old = existsSync(chunks) ? (await readdir(chunks)).map((name) => join(chunks, name)) : [];
  const drafts = (await readdir(dist)).filter((name) => /\.\d+$/.test(name)).map((name) => join(dist, name));
  for (const path of [...old, ...drafts]) {
    if (!current.has(path) && Date.now() - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { force: true });
  }
}

function hash(texts: readonly string[]): string {
  const sum = createHash('sha256');
  for (const text of texts) sum.update(text).update('\0');
  return sum.digest('hex').slice(0, 12);
}

try {
  const start = performance.now();
  await main();
  console.log(`build: ${relative(process.cwd(), dist) || dist} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
