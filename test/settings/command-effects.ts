import { chmod, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askPlans } from '../../authoring/catalog/answers.js';
import { upstreamSettings } from '../../authoring/versions/upstream-settings.js';
import { runLine } from '../../cli/fake-run.js';
import { type Fakes, fakeSession, inventoryNamed } from '../../cli/fake-session.js';
import { viewFor } from '../../cli/render/view.js';
import { backupFolder } from '../../cli/shared/backup.js';
import { settleOutput } from '../../cli/shared/settings/settle-output.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { registries } from '../../definition/registries/registries.js';
import type { Web } from '../../upstream/asking/web.js';
import { openKeptAnswers } from '../../upstream/kept-answers.js';
import { listServices } from '../../upstream/listed-services.js';
import { createNoAnswer } from '../../upstream/upstream-errors.js';
import { upstreamVersions } from '../../upstream/upstream-versions.js';
import { createBackup } from '../../workers/engine/backup/create.js';
import { makeFolder } from '../support/temporary-folder.js';
import { type Effects, type Place, withKey } from './effect.js';

const newFolder = () => makeFolder('effect-backups');

const run = ({ home }: Pick<Place, 'home'>, line: string, client: Fakes = {}) => runLine(line, { root: home.root, client });

const here = (name: string) =>
  ({ name, connection: { kind: 'this' }, spec: { group: name, role: 'all' }, services: {} }) as unknown as InventoryServer;
const TWO: Fakes = {
  'infras.list': async () => ['shop'],
  'infras.inventory': async () => ({ ...inventoryNamed('shop'), servers: { a: here('a'), b: here('b') } }),
};

/** Waits until two instances have started, at most five seconds. */
const untilTwo = (file: string): string =>
  `echo >> ${file}; for i in $(seq 100); do [ $(wc -l < ${file}) -ge 2 ] && exit 0; sleep 0.05; done; exit 1`;

/** Runs a command whose last argument is a shell command. */
async function exec(place: Place, options: string, line: string): Promise<number> {
  const script = await place.put('line.sh', line);
  return (await run(place, `exec all ${options}-- sh ${script}`.replace('  ', ' '), TWO)).code;
}

/** A mirror that does not answer. */
const mirrorAt = (port: number) => `https://api.github.com/=http://127.0.0.1:${port}`;

/** Returns the stored versions of a service whose vendor answered so many hours ago, and does not answer now. */
async function knownAfter({ home }: Place, hours: number) {
  const context = fakeSession({ root: home.root });
  const [service] = await listServices((await registries()).taskservs, ['traefik']);
  if (!service) throw new Error('there is no such service');
  const away: Web = { get: () => Promise.reject(createNoAnswer('api.github.com', 'no answer')) };
  const kept = await openKeptAnswers(join(home.root, 'answers'));
  const asking = { kept, by: [], ...(await upstreamSettings(context)) };
  const body = Buffer.from(JSON.stringify([{ tag_name: 'v3.3.5' }]));
  const there: Web = { get: async () => ({ body, validators: {}, more: false }) };
  await upstreamVersions([service], { ...asking, web: there, now: () => Date.now() - hours * 3_600_000 });
  const [found] = await upstreamVersions([service], { ...asking, web: away });
  return found;
}
const failureAfter = async (place: Place, hours: number) => (await knownAfter(place, hours))?.failure?.code;
const isKnownAfter = async (place: Place, hours: number) => (await knownAfter(place, hours))?.newer !== undefined;

export const COMMAND_EFFECTS: Effects = {
  'output.color': {
    values: ['always', 'never'],
    sees: [true, false],
    observe: async (place) => (await run(place, 'schema --taskserv nonsense')).err.includes('\u001b[31m'),
  },
  'output.format': {
    values: ['json', 'yaml'],
    sees: ['{', 'v'],
    observe: async (place) => (await run(place, 'version')).out[0],
  },
  'output.width': {
    values: [45, 95],
    sees: [true, false],
    async observe(place) {
      const { out } = await run(place, 'taskserv show redis');
      // Only the fields of its configuration are wrapped to the width.
      const fields = /Fields of config:\n(.*?)\n\n/s.exec(out)?.[1] ?? '';
      return Math.max(...fields.split('\n').map((line) => line.length)) <= 45;
    },
  },
  'output.progress': {
    values: ['plain', 'auto'],
    sees: ['PlainView', 'LiveView'],
    async observe({ home }) {
      const session = fakeSession({ root: home.root });
      session.out.live = true;
      await settleOutput(session, {}, session);
      return viewFor(session).constructor.name;
    },
  },
  'output.verbose': {
    values: [true, false],
    sees: [true, false],
    observe: async (place) => /\n +at /.test((await run(place, 'config get nonsense')).err),
  },
  'output.rows': {
    values: [3, 70],
    sees: [3, 70],
    async observe(place) {
      let asked: unknown;
      const list: Fakes['operations.list'] = async ({ limit }) => {
        asked = limit;
        return [];
      };
      await run(place, 'workflow list', { 'operations.list': list });
      return asked;
    },
  },
  'output.logLines': {
    values: [2, 4],
    sees: ['d\ne\n', 'b\nc\nd\ne\n'],
    async observe(place) {
      await place.put('logs/worker.log', 'a\nb\nc\nd\ne\n');
      return (await run(place, 'logs worker')).out;
    },
  },
  'exec.parallel': {
    values: [1, 2],
    sees: [1, 0],
    observe: (place) => exec(place, '', untilTwo(join(place.home.root, 'begun'))),
  },
  'exec.timeout': { values: [1, 60], sees: [1, 0], observe: (place) => exec(place, '', 'sleep 2.5') },
  'workspace.template': {
    values: ['minimal', 'web'],
    sees: [false, true],
    async observe(place) {
      const folder = join(place.home.root, 'made');
      await run(place, `workspace init shop --path ${folder}`);
      return (await readFile(join(folder, 'infra/shop.yaml'), 'utf8')).includes('haproxy');
    },
  },
  'ui.open': { values: [true, false], sees: [true, false], observe: opensBrowser },
  'backup.folder': {
    values: async () => [await newFolder(), await newFolder()],
    sees: 'itself',
    async observe({ home, env }) {
      await withKey({ home });
      const folder = await backupFolder(fakeSession({ root: home.root }));
      const made = await createBackup(home, { folder, env }, () => {});
      return dirname(made.file);
    },
  },
  'versions.keep': { values: [1, 3], sees: ['versions-not-answered', undefined], observe: (place) => failureAfter(place, 2) },
  'versions.grace': { values: [1, 3], sees: [false, true], observe: (place) => isKnownAfter(place, 3 * 24) },
  'versions.mirrors': {
    values: [mirrorAt(1), mirrorAt(2)],
    sees: ['127.0.0.1:1', '127.0.0.1:2'],
    async observe(place) {
      const { out } = await run(place, 'version check traefik --json');
      return /127\.0\.0\.1:\d/.exec(out)?.[0];
    },
  },
  'catalog.keep': {
    values: [1, 3],
    sees: ['asked', 'kept'],
    async observe(place) {
      const at = new Date(Date.now() - 2 * 3_600_000).toISOString();
      await place.put('answers/hetzner.plans.json', JSON.stringify({ at, answer: 'kept' }));
      const client: Fakes = { 'providers.plans': async () => 'asked' as never };
      return (await askPlans(fakeSession({ root: place.home.root, client }), 'hetzner')).answer;
    },
  },
};

/** Reports whether `ui` starts the browser, which is a program that creates a file. */
async function opensBrowser(place: Place): Promise<boolean> {
  const mark = join(place.home.root, 'opened');
  const browser = await place.put('browser.sh', `#!/bin/sh\necho "$1" > ${mark}\n`);
  await chmod(browser, 0o700);
  await withKey(place);
  const engine = { kind: 'configured', address: '127.0.0.1:1', ui: 'http://127.0.0.1:1', namespace: 'n', taskQueue: 'q' };
  await place.put('engine/engine.json', JSON.stringify(engine));
  const session = fakeSession({ root: place.home.root, env: { ...place.env, BROWSER: browser } });
  const { command } = await import('../../cli/commands/ui.js');
  const served = command.run(session, { args: [], flags: {}, rest: [] });
  while (!session.said().includes('Web UI')) await sleep(20);
  const opened = async () => (await readFile(mark, 'utf8').catch(() => '')) !== '';
  for (let turn = 0; turn < 250 && !(await opened()) && place.value === true; turn++) await sleep(20);
  const found = await opened();
  session.interrupt();
  await served;
  return found;
}
