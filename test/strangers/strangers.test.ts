import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findKcl, findNickel } from '../support/languages.js';
import { seededRandom } from '../support/random.js';
import { seedOf } from '../support/seed.js';
import { harm, inPlaces, PROGRAM, SECRET } from './harm.js';
import { observe } from './observe.js';
import { makeWorkspace, type Places, TRAPS, type Trap } from './random-workspace.js';

const seed = seedOf(process.env, 34);
const COUNT = Number(process.env.STRANGERS ?? (process.env.LONG === '1' ? 200 : 5));
/** Restricts the test to workspaces with this trap. */
const TRAP = TRAPS.find((one) => one === process.env.TRAP);
/** Each workspace also has a definition in one of these languages. The evaluators are programs of the operator. */
const MAINS = ['shop.yaml', 'main.toml', 'main.json', 'main.ts', 'main.k', 'main.ncl'];
/** Number of concurrent workspaces. */
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
    // One fixed trap, so that each is played, and others at random.
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
      // A long run reports its progress and findings, even if it is stopped.
      if (figures.workspaces % 20 === 0) process.stdout.write(`strangers: ${JSON.stringify({ ...figures, found })}\n`);
    });
  const next = drawn.values();
  // Each lane takes the next workspace: the commands themselves only read.
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
