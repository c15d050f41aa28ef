import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../../core/errors.js';
import { generateClient, installGenerator } from '../../scripts/python/generate-client.js';

const root = resolve(import.meta.dirname, '../..');
const GUIDE = 'docs/use/from-python.md';

/** Output of the check: streams that are cut continue after their last event, and problems are typed. */
export const PYTHON_CHECK = {
  events: [1, 2, 3].map((number) => [String(number), number, true]),
  asked: [null, '2', '2'].map((last) => [last, 'Bearer prov_1_x']),
  posts: 1,
  cut: 'the stream was cut before its end',
  problem: ['unknown-operation', 404],
  plain: 'the server needs https://; plain HTTP is for loopback only',
};

let problem: Promise<string | undefined> | undefined;

/** Why the Python client cannot be generated here, if so: Python is missing, or its packages cannot be fetched. */
export function whyNoPython(): Promise<string | undefined> {
  problem ??= installGenerator().then(
    () => undefined,
    (error: unknown) => `the generator of the Python client cannot be installed: ${messageOf(error).slice(0, 300)}`,
  );
  return problem;
}

interface Server {
  url: string;
  token: string;
  caFile: string;
  /** Its OpenAPI document. */
  document: string;
  /** The infra that the guide's program is about. */
  infra: string;
}

/**
 * Returns the output of the guide's program and of the check. Both use a client that was generated from a server's
 * document and installed.
 */
export async function runPythonClient({
  url,
  token,
  caFile,
  document,
  infra,
}: Server): Promise<{ guide: string[]; check: unknown }> {
  const folder = await mkdtemp(join(tmpdir(), 'python-client-'));
  try {
    const generator = await installGenerator();
    await generateClient(generator, join(folder, 'client'), document);
    // An environment of the program's own, with the packages that the client needs from that of the generator.
    const site = join(folder, 'site');
    const install = ['install', '-q', '--disable-pip-version-check', '--no-deps', '--no-build-isolation', '--target', site];
    await execa(generator, ['-m', 'pip', ...install, join(folder, 'client')], { timeout: 120_000 });
    const env = {
      ...{ PATH: process.env.PATH, PYTHONPATH: site, PYTHONDONTWRITEBYTECODE: '1' },
      ...{ PROVISIONING_SERVER: url, PROVISIONING_TOKEN: token, PROVISIONING_SERVER_CA: caFile },
    };
    const [, program = ''] = /^```python\n(.*?)^```$/ms.exec(await readFile(join(root, GUIDE), 'utf8')) ?? [];
    await writeFile(join(folder, 'program.py'), program.replaceAll('"shop"', JSON.stringify(infra)));
    const run = async (file: string) => (await execa(generator, [file], { cwd: folder, env, extendEnv: false })).stdout;
    const guide = (await run(join(folder, 'program.py'))).split('\n');
    return { guide, check: JSON.parse(await run(join(root, 'test/support/python-client-check.py'))) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
