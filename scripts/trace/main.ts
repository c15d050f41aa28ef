/**
 * `npm run trace-modules [-- [COMMIT] [--provider demo]]`: lists the source modules that run in one `apply` of the
 * quickstart, in order. It builds a copy of this checkout, or of a commit, in which each function reports. It applies
 * on containers or on the machines of another provider. Fewer modules run with `demo`, which needs no Docker.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { cacheOf } from '../../home/home.js';
import { removeCopy, rewrittenCopy } from './copy.js';
import { instrumented } from './instrument.js';
import { type Run, report } from './report.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
async function main(commit?: string, provider = 'local'): Promise<void> {
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
    await rewrittenCopy(root, copy, instrumented, commit);
    await execa('npm', ['run', '-s', 'build'], { cwd: copy });
    await provisioning('up', '--local');
    await writeFile(`${trace}.on`, '');
    const file = join(copy, 'examples/quickstart.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('provider: local', `provider: ${provider}`));
    await provisioning('apply', file, '--yes');
    const lines = (await readFile(trace, 'utf8')).trim().split('\n');
    console.log(await report(copy, lines.map(runIn)));
  } finally {
    if (existsSync(`${trace}.on`)) await provisioning('delete', 'quickstart', '--yes').catch(() => {});
    await provisioning('down').catch(() => {});
    await removeCopy(root, copy);
  }
}

function runIn(line: string): Run {
  const [at = '0', where = '', path = ''] = line.split(' ');
  return { at: BigInt(at), where, path };
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { provider: { type: 'string' } } });
await main(positionals[0], values.provider);
