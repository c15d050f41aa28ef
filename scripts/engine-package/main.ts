/**
 * `npm run pack:engine`: compiles the engine and packs it as the platform package of npm. The build is reproducible:
 * the same commit and Go version yield the same bytes in any folder.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { inputError, messageOf, ProvisioningError } from '../../core/errors.js';
import { EXIT, exitCodeOfError } from '../../core/exit-codes.js';
import { compileEngine, findGo } from '../../workers/engine/binary/build-binary.js';
import { engineKey, shortKey, type Target } from '../../workers/engine/binary/engine-key.js';
import { isBuilt } from '../build-inputs.js';
import { optionsOf } from '../proofs/options.js';
import { licensesOf } from './licenses.js';
import { type Packed, packEngine } from './pack-engine.js';
import { packProject } from './pack-project.js';
import { nameOf, PLATFORMS } from './platforms.js';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const HERE = `${process.platform}-${process.arch}`;

const USAGE = `usage: npm run pack:engine -- [--platform NAME]... [--out FOLDER] [--project]

Compiles the engine and packs it as @provisioning/engine-PLATFORM, a tarball of npm. Needs Go.

  --platform NAME  one of ${PLATFORMS.map(nameOf).join(', ')}; may be repeated (default: this machine's, ${HERE})
  --out FOLDER     folder for the tarballs (default: packages)
  --project        also pack the project, with the engines as optional dependencies; run \`npm run build\` before
  --help           show this text
`;

const { values } = optionsOf(USAGE, {
  options: {
    platform: { type: 'string', multiple: true },
    out: { type: 'string', default: join(root, 'packages') },
    project: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

function targetOf(name: string): Target {
  const target = PLATFORMS.find((one) => nameOf(one) === name);
  if (target) return target;
  throw inputError({
    code: 'bad-platform',
    what: 'pack the engine',
    on: name,
    why: 'no engine is packed for this platform',
    hint: `use one of ${PLATFORMS.map(nameOf).join(', ')}`,
  });
}

function refuseUnbuilt(): void {
  if (isBuilt(root)) return;
  const why = 'dist/ is not built from the sources as they are';
  throw inputError({ code: 'not-built', what: 'pack the project', on: root, why, hint: 'run `npm run build`' });
}

const say = (text: string) => process.stderr.write(`${text}\n`);

/** Returns a progress function that prints a line for each fortieth: a build has a thousand packages. */
function stepwise(name: string): (text: string, fraction?: number) => void {
  let next = 0;
  return (text, fraction = 0) => {
    if (fraction < next && !text.startsWith('fetching the sources')) return;
    next = fraction + 0.025;
    say(`${name}: ${text}`);
  };
}

async function compileAndPack(target: Target, out: string): Promise<Packed> {
  const work = await mkdtemp(join(tmpdir(), 'engine-'));
  const go = findGo(process.env);
  try {
    const binary = await compileEngine({ go, work, env: process.env, target }, stepwise(nameOf(target)));
    const { stdout: version } = await execa(go, ['env', 'GOVERSION'], { cwd: work });
    say(`${nameOf(target)}: packing engine ${shortKey(engineKey(target))}, compiled by ${version}`);
    const licenses = await licensesOf(go, work, process.env);
    return await packEngine({ root, target, binary, go: version, licenses, out });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(USAGE);
    return EXIT.done;
  }
  const targets = (values.platform ?? [HERE]).map(targetOf);
  const out = resolve(values.out);
  if (values.project) refuseUnbuilt();
  const packed: Packed[] = [];
  for (const target of targets) packed.push(await compileAndPack(target, out));
  if (values.project) packed.push(await packProject(root, out));
  for (const { file } of packed) process.stdout.write(`${file}\n`);
  return EXIT.done;
}

process.exitCode = await main().catch((error: unknown) => {
  say(`error: ${messageOf(error)}`);
  if (!(error instanceof ProvisioningError)) return EXIT.failed;
  if (error.details.hint) say(error.details.hint);
  return exitCodeOfError(error.details);
});
