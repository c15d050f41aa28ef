/**
 * `npm run trace-modules [-- COMMIT]`: which source modules run in one `apply` of the quickstart, in order. Builds a
 * copy of this checkout, or of a commit, in which each function says that it runs, and applies on containers.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { cacheOf } from '../../home/home.js';
import { instrumented } from './instrument.js';
import { type Run, report } from './report.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
/** Not of the product. */
const OTHERS = /^(test|scripts|bench|docs)\//;

async function main(commit?: string): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), 'traced-'));
  const trace = join(copy, 'trace');
  const env = {
    PROVISIONING_HOME: join(copy, 'home'),
    PROVISIONING_CACHE: cacheOf(),
    TRACE_FILE: trace,
    NODE_OPTIONS: `--import ${join(root, 'scripts/trace/record.mjs')}`,
  };
  const provisioning = (...args: string[]) =>
    execa(process.execPath, [join(copy, 'bin/provisioning.js'), ...args], { env, stdout: 'ignore', stderr: 'inherit' });
  try {
    await copySources(copy, commit);
    await execa('npm', ['run', '-s', 'build'], { cwd: copy });
    await provisioning('up', '--local');
    await writeFile(`${trace}.on`, '');
    const file = join(copy, 'examples/quickstart.yaml');
    await provisioning('apply', file, '--yes');
    const lines = (await readFile(trace, 'utf8')).trim().split('\n');
    console.log(await report(copy, lines.map(runIn)));
  } finally {
    if (existsSync(`${trace}.on`)) await provisioning('delete', 'quickstart', '--yes').catch(() => {});
    await provisioning('down').catch(() => {});
    await rm(copy, { recursive: true, force: true });
  }
}

function runIn(line: string): Run {
  const [at = '0', where = '', path = ''] = line.split(' ');
  return { at: BigInt(at), where, path };
}

async function copySources(copy: string, commit: string | undefined): Promise<void> {
  if (commit === undefined) {
    const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
    for (const path of stdout.split('\n').filter((one) => existsSync(join(root, one)))) {
      await mkdir(join(copy, dirname(path)), { recursive: true });
      await copyFile(join(root, path), join(copy, path));
    }
  } else await execa('bash', ['-c', `git archive ${commit} | tar -x -C ${copy}`], { cwd: root });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await execa('git', ['init', '-q'], { cwd: copy });
  await execa('git', ['add', '-A'], { cwd: copy });
  await execa('npm', ['run', '-s', 'generate'], { cwd: copy });
  const { stdout } = await execa('git', ['ls-files', '*.ts'], { cwd: copy });
  for (const path of stdout.split('\n')) {
    if (OTHERS.test(path) || path.endsWith('.test.ts')) continue;
    const file = join(copy, path);
    await writeFile(file, instrumented(path, await readFile(file, 'utf8')));
  }
}

await main(process.argv[2]);
