import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';

/** Program that has only the package and Node. Its server, token and authority are in `SERVER`, `TOKEN` and `CA`. */
export const CLIENT_PROGRAM = `
import { readFileSync } from 'node:fs';
import { connectServer } from 'provisioning/client';

const { SERVER: url, TOKEN: token, CA: file } = process.env;
const client = connectServer({ url, token, ca: readFileSync(file, 'utf8') });
try {
  const { account, roles } = await client.identity.get({});
  const infras = await client.infras.list({ workspace: 'default' });
  const operations = await client.operations.list({ workspace: 'default', limit: 5 });
  const kinds = [];
  for (const { operation } of operations.slice(0, 1))
    for await (const { type } of client.operations.follow({ operation })) kinds.push(type);
  const unknown = await client.operations.progress({ operation: 'cluster-none' }).catch(({ details }) => details.code);
  console.log(JSON.stringify({ account, roles, infras, operations: operations.length, last: kinds.at(-1), unknown }));
} finally {
  await client.close();
}
`;

/** Returns the output of the program, which runs with the packed package in an otherwise empty folder. */
export async function runPackedClient(server: { url: string; token: string; caFile: string }): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'packed-client-'));
  try {
    const root = resolve(import.meta.dirname, '../..');
    const packed = await execa('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: root });
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
    const place = join(folder, 'node_modules/provisioning');
    await mkdir(place, { recursive: true });
    await execa('tar', ['-xzf', join(folder, filename), '-C', place, '--strip-components=1']);
    await writeFile(join(folder, 'program.mjs'), CLIENT_PROGRAM.trimStart());
    const env = { SERVER: server.url, TOKEN: server.token, CA: server.caFile, PATH: process.env.PATH };
    const { stdout } = await execa(process.execPath, ['program.mjs'], { cwd: folder, env, extendEnv: false });
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
