import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom } from '../support/random.js';
import { seedOf } from '../support/seed.js';
import { type Observed, observe } from './observe.js';
import { makeWorkspace, type Places, TRAPS } from './random-workspace.js';

const PROGRAM = resolve(import.meta.dirname, '../../bin/provisioning.js');
const seed = seedOf(process.env, 34);
const COUNT = Number(process.env.STRANGERS ?? (process.env.LONG === '1' ? 200 : 5));
const SECRET = 'canary-of-the-operator';
const COMMANDS = [
  'validate shop.yaml',
  'validate shop.yaml --env prod',
  'graph shop.yaml',
  'cost shop.yaml',
  'apply shop.yaml --check',
  'convert shop.yaml',
  'fmt shop.yaml',
  'fmt shop.prod.yaml',
];

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

/** What it did that a stranger may not have it do. */
function harm({ programs, opened, written, output }: Observed, { private: secret, mark, folder }: Places): string[] {
  const own = new RegExp(`^${folder}/(?:shop\\.yaml|\\.shop\\.yaml\\.[0-9.]+)$`);
  const inTop = (path: string) =>
    path.includes(secret) || (path.includes(folder) && !own.test(path) && !path.includes(`${folder}/.shop.yaml.`));
  return [
    ...programs.slice(1).map((program) => `started ${program}`),
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
  const figures = { workspaces: 0, commands: 0, done: 0, refused: 0 };
  for (let index = 0; index < COUNT; index += 1) {
    // One for certain, so that each is played, and others by chance.
    const traps = TRAPS.filter((_, at) => at === index % TRAPS.length || random() < 0.06);
    await inPlaces(async (places) => {
      makeWorkspace(places, traps);
      figures.workspaces += 1;
      rmMark(places);
      for (const command of COMMANDS) {
        if (command.includes('prod') && !traps.includes('link-environment')) continue;
        const seen = await observe([process.execPath, PROGRAM, ...command.split(' ')], places.folder, places.env, places.top);
        expect([command, traps, harm(seen, places)]).toEqual([command, traps, []]);
        figures.commands += 1;
        figures[seen.code === 0 ? 'done' : 'refused'] += 1;
        expect(seen.output).not.toMatch(/^\s+at |node:internal/m);
      }
      expect(readFileSync(join(places.private, 'c.yaml'), 'utf8')).toBe(`title: ${SECRET}\n`);
    });
  }
  process.stdout.write(`strangers: ${JSON.stringify(figures)}\n`);
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
