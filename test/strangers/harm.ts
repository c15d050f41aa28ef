import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Observed } from './observe.js';
import type { Places } from './random-workspace.js';

export const PROGRAM = resolve(import.meta.dirname, '../../bin/provisioning.js');
/** Text in files outside the workspace. */
export const SECRET = 'canary-of-the-operator';

/** Calls `work` with a folder for a workspace, private files beside it, and an environment without an engine. */
export async function inPlaces<T>(work: (places: Places & { top: string; env: NodeJS.ProcessEnv }) => Promise<T>): Promise<T> {
  const top = realpathSync(await mkdtemp(join(tmpdir(), 'strangers-')));
  const places = { top, folder: join(top, 'shop'), private: join(top, 'private'), mark: join(top, 'MARK') };
  for (const name of ['shop', 'private', 'home']) mkdirSync(join(top, name), { mode: 0o700 });
  writeFileSync(join(places.private, 'secret'), SECRET);
  writeFileSync(join(places.private, 'HEAD'), 'ref: refs/heads/canary\n');
  writeFileSync(join(places.private, 'c.yaml'), `title: ${SECRET}\n`);
  const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|PROVISIONING_|VITEST|NODE_OPTIONS|GIT_)/.test(name));
  // An engine that does not answer. Without any, `apply` would build one for this home.
  const engine = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
  const env = { ...Object.fromEntries(own), ...engine, HOME: join(top, 'home'), PROVISIONING_HOME: join(top, 'home') };
  try {
    return await work({ ...places, env });
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

/**
 * Programs that evaluate a definition in a language: a shell with limits, esbuild, the platform's engine, the
 * sandboxed evaluators.
 */
const OWN_PROGRAM = new RegExp(
  [
    '^"/bin/sh", "-c", "ulimit -c 0; ',
    '^"[^"]*/node_modules/[^"]*esbuild"',
    `^"${process.execPath}", "--[^"]*`,
    '^"unshare", ("--user", "--map-(current|root)-user", )?("--mount", )?"--net", "--", "/bin/sh", ',
    '^"/bin/sh", "-c", "(set -e|echo >&3)',
    '^"mkdir", "-p", |^"mount", "-n", |^"pivot_root", |^"umount", |^"setpriv", "--no-new-privs", ',
    '^"[^"]*/(languages-1|nickel-1\\.[0-9.]+)/[^"]*", ',
    '^"/bin/sh", "[^"]*/languages-1/(kcl/kcl|nickel/nickel)"',
    '^"kcl", |^"nickel", ',
  ].join('|'),
);

/** Lists actions of a program that a stranger's workspace must not cause. */
export function harm({ programs, opened, written, output }: Observed, { private: secret, mark, folder }: Places): string[] {
  // `fmt` writes its given file through a temporary file beside it.
  const own = new RegExp(`${folder}/(?:(?:shop|main)\\.\\w+$|\\.(?:shop|main)\\.\\w+\\.[0-9.]+)`);
  const inTop = (path: string) => path.includes(secret) || (path.includes(folder) && !own.test(path));
  return [
    ...programs
      .slice(1)
      .filter((program) => !OWN_PROGRAM.test(program))
      .map((program) => `started ${program}`),
    ...opened.filter((path) => path.startsWith(`${secret}/`)).map((path) => `read ${path}`),
    ...written.filter(inTop).map((path) => `wrote ${path}`),
    ...(output.includes(SECRET) ? ['showed the canary'] : []),
    ...(existsSync(mark) ? ['ran a command of the workspace'] : []),
  ];
}
