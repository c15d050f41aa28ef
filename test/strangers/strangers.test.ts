import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findKcl, findNickel } from '../support/languages.js';
import { seededRandom } from '../support/random.js';
import { seedOf } from '../support/seed.js';
import { type Observed, observe } from './observe.js';
import { makeWorkspace, type Places, TRAPS, type Trap } from './random-workspace.js';

const PROGRAM = resolve(import.meta.dirname, '../../bin/provisioning.js');
const seed = seedOf(process.env, 34);
const COUNT = Number(process.env.STRANGERS ?? (process.env.LONG === '1' ? 200 : 5));
/** Only workspaces that have this trap. */
const TRAP = TRAPS.find((one) => one === process.env.TRAP);
const SECRET = 'canary-of-the-operator';
/** Each workspace has a definition in one of these as well; the evaluators are programs of the operator. */
const MAINS = ['shop.yaml', 'main.toml', 'main.json', 'main.ts', 'main.k', 'main.ncl'];
/** How many workspaces are played at once. */
const AT_ONCE = 2;

function commandsFor(main: string, traps: readonly Trap[]): string[] {
  const has = (trap: Trap) => traps.includes(trap);
  return [
    ...['validate', 'graph', 'cost', 'convert', 'fmt'].map((name) => `${name} ${main}`),
    `apply ${main} --check`,
    ...(main === 'shop.yaml' ? [] : ['validate shop.yaml']),
    ...(has('link-environment') ? ['validate shop.yaml --env prod', 'fmt shop.prod.yaml'] : []),
    ...(has('link-parent') ? ['validate infra/c.yaml', 'convert infra/c.yaml', 'fmt infra/c.yaml'] : []),
  ];
}

async function inPlaces<T>(work: (places: Places & { top: string; env: NodeJS.ProcessEnv }) => Promise<T>): Promise<T> {
  const top = realpathSync(await mkdtemp(join(tmpdir(), 'strangers-')));
  const places = { top, folder: join(top, 'shop'), private: join(top, 'private'), mark: join(top, 'MARK') };
  for (const name of ['shop', 'private', 'home']) mkdirSync(join(top, name), { mode: 0o700 });
  writeFileSync(join(places.private, 'secret'), SECRET);
  writeFileSync(join(places.private, 'HEAD'), 'ref: refs/heads/canary\n');
  writeFileSync(join(places.private, 'c.yaml'), `title: ${SECRET}\n`);
  const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|PROVISIONING_|VITEST|NODE_OPTIONS|GIT_)/.test(name));
  // An engine that does not answer: with none at all, `apply` would build one for this home.
  const engine = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
  const env = { ...Object.fromEntries(own), ...engine, HOME: join(top, 'home'), PROVISIONING_HOME: join(top, 'home') };
  try {
    return await work({ ...places, env });
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

/** What evaluates a definition in a language: a shell with limits, esbuild, our engine, the evaluators and their boundaries. */
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

/** What it did that a stranger may not have it do. */
function harm({ programs, opened, written, output }: Observed, { private: secret, mark, folder }: Places): string[] {
  // `fmt` writes the file that it was given, by way of another beside it.
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

test('what is observed is seen: a program that Git starts, a file that is read, one that is written', async () => {
  await inPlaces(async (places) => {
    makeWorkspace(places, ['embedded']);
    const shell = `git -C app ls-files --others --cached --exclude-standard; cat ${places.private}/secret; echo x > app/new`;
    const found = harm(await observe(['sh', '-c', shell], places.folder, places.env, places.top), places).join('\n');
    for (const one of [/started .*git/, /read .*private\/secret/, /wrote .*app\/new/, /showed the canary/, /ran a command/])
      expect(found).toMatch(one);
  });
});

test(`no workspace of a stranger has a command start, read or write anything else (SEED=${seed}, ${COUNT})`, async () => {
  const random = seededRandom(seed);
  const figures = { workspaces: 0, commands: 0, done: 0, refused: 0, programs: 0, opened: 0, written: 0 };
  const found: unknown[] = [];
  const drawn = Array.from({ length: COUNT }, (_, index) => ({
    // One for certain, so that each is played, and others by chance.
    traps: TRAPS.filter((_trap, at) => at === index % TRAPS.length || random() < 0.06),
    main: MAINS[Math.floor(random() * MAINS.length)] ?? 'shop.yaml',
  })).filter(({ traps }) => TRAP === undefined || traps.includes(TRAP));
  const languages = await Promise.all([findKcl(), findNickel()]);
  const programs = languages.flatMap((one) => ('programs' in one ? [one.programs] : []));
  const PROVISIONING_LANGUAGES_FOLDERS = languages.flatMap((one) => ('folders' in one ? one.folders : [])).join(',');
  const play = ({ traps, main }: (typeof drawn)[number]) =>
    inPlaces(async (places) => {
      makeWorkspace(places, traps, main);
      figures.workspaces += 1;
      rmMark(places);
      const env = { ...places.env, PATH: [...programs, places.env.PATH].join(':'), PROVISIONING_LANGUAGES_FOLDERS };
      for (const command of commandsFor(main, traps)) {
        const seen = await observe([process.execPath, PROGRAM, ...command.split(' ')], places.folder, env, places.top);
        const harms = harm(seen, places);
        if (/^\s+at |node:internal/m.test(seen.output)) harms.push(`crashed: ${seen.output.slice(0, 500)}`);
        if (harms.length > 0) found.push([command, traps, harms]);
        figures.commands += 1;
        figures[seen.code === 0 ? 'done' : 'refused'] += 1;
        figures.programs += seen.programs.length;
        figures.opened += seen.opened.length;
        figures.written += seen.written.length;
      }
      expect(readFileSync(join(places.private, 'c.yaml'), 'utf8')).toBe(`title: ${SECRET}\n`);
    });
  const next = drawn.values();
  // Each takes the next one: the commands themselves read only.
  await Promise.all(
    Array.from({ length: COUNT > 10 ? AT_ONCE : 1 }, async () => {
      for (const one of next) await play(one);
    }),
  );
  process.stdout.write(`strangers: ${JSON.stringify(figures)}\n`);
  expect(found).toEqual([]);
}, 3_600_000);

test('an ordinary workspace works: a checkout with links inside of it, files that are left out, and an environment', async () => {
  await inPlaces(async (places) => {
    makeWorkspace(places, []);
    const at = (path: string) => join(places.folder, path);
    symlinkSync('server.js', at('app/main.js'));
    mkdirSync(at('app/node_modules'));
    writeFileSync(at('app/node_modules/.env'), 'A=1');
    writeFileSync(at('app/.gitignore'), 'node_modules\n');
    writeFileSync(at('common.prod.yaml'), '');
    symlinkSync('overlay.txt.yaml', at('shop.prod.yaml'));
    writeFileSync(at('overlay.txt.yaml'), 'vars: {}\n');
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'first'],
    ])
      execFileSync('git', ['-C', places.folder, ...args]);
    for (const command of [
      'validate shop.yaml',
      'validate shop.yaml --env prod',
      'graph shop.yaml',
      'convert shop.yaml',
      'fmt shop.yaml',
    ]) {
      const seen = await observe([process.execPath, PROGRAM, ...command.split(' ')], places.folder, places.env, places.top);
      expect([command, seen.code, seen.output]).toEqual([command, 0, expect.anything()]);
      expect(harm(seen, places)).toEqual([]);
    }
  });
});

const rmMark = ({ mark }: Places): void => void execFileSync('rm', ['-f', mark]);
