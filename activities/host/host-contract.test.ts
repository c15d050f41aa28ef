import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerChannel } from 'ssh2';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fact } from '../../core/host/facts.js';
import type { Answer, Question } from '../../core/host/question.js';
import type { Step } from '../../core/host/step.js';
import { demo } from '../../providers/demo/index.js';
import { countEffects, readDemo } from '../../providers/demo/store/account.js';
import { makePair } from '../../stores/key-pair.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import { startSshHost } from '../../test/support/ssh-host.js';
import type { Dependencies } from '../dependencies.js';
import type { Host, WorkBeat } from './host.js';
import { createHosts } from './hosts.js';
import { HOST_STATE } from './paths.js';
import { openConnections } from './ssh/connections.js';

/** A host of one kind, and what came of the steps that it was given. */
interface Subject {
  host: Host;
  /** How often a step took effect, by its title. */
  effects(title: string): Promise<number>;
  close(): Promise<void>;
}

const scope = { workspace: 'default', infra: 'shop', uuid: 'u' };
const server = 'web-1';
let folder: string;

/** Whether this user may mount an own folder over that of a host. */
const mayMount = (() => {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
})();

const hostsWith = (more: object) =>
  createHosts({
    logs: { open: async () => ({ write: () => {}, close: async () => {} }) },
    secrets: {
      get: async () => undefined,
      list: async () => [],
      listScoped: async () => [],
      within: () => ({ get: async () => undefined }),
    },
    providers: {},
    sealer: { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed },
    ...more,
  } as unknown as Parameters<typeof createHosts>[0]);

async function simulated(): Promise<Subject> {
  const path = join(folder, 'account.json');
  const connection = await demo.connect(demo.config.parse({ path }));
  await connection.networks.create({ name: 'shop' }, { scope, key: 'k' });
  const access = { authorizedKey: '', hostKey: { private: '', public: '' } };
  const wanted = {
    name: server,
    role: 'web',
    plan: demo.sizes.small,
    image: 'debian-12',
    labels: {},
    volumes: [],
    network: 'shop',
  };
  const made = await connection.servers.create(wanted, { scope, key: 'k', access });
  return {
    host: hostsWith({ connectionOf: async () => connection })({ scope, server, provider: 'demo', connection: made.connection }),
    effects: async (title) => countEffects(await readDemo(path), { verb: 'host.step', name: `${server}/trial: ${title}` }),
    close: async () => {},
  };
}

/** This machine with another folder for its journals, behind an SSH server. */
async function ssh(): Promise<Subject> {
  const state = join(folder, 'state');
  mkdirSync(state);
  const exec = (channel: ServerChannel, command: string) => {
    const child = spawn('unshare', ['-m', 'bash', '-c', `mount --bind '${state}' ${HOST_STATE} && exec ${command}`]);
    child.stdin.on('error', () => {});
    channel.pipe(child.stdin);
    child.stdout.on('data', (chunk) => channel.write(chunk));
    child.stderr.on('data', (chunk) => channel.stderr.write(chunk));
    child.once('close', (code) => {
      channel.exit(code ?? 1);
      channel.end();
    });
  };
  const { port, close } = await startSshHost({ exec });
  const pair = makePair('ours');
  const keys = { infraKey: async () => pair, pinned: async () => undefined, pin: async () => {} };
  const transports: Dependencies['transports'] = openConnections(keys as never);
  const connection = { kind: 'ssh', address: '127.0.0.1', port, user: 'root' } as const;
  return {
    host: hostsWith({ transports, keys })({ scope, server, provider: 'local', connection }),
    effects: async (title) =>
      (existsSync(mark) ? readFileSync(mark, 'utf8').split('\n') : []).filter((line) => line === title).length,
    async close() {
      transports.close();
      await close();
    },
  };
}

/** Folder in which a host that runs scripts records the work and its effects. */
let mark: string;
const stepOf = (title: string): Step => ({
  title,
  run: `echo '${title}' >>${mark}; echo '${title}' >>${mark}.there`,
  undo: `sed -i '/^${title}$/d' ${mark}.there`,
});

interface Trial {
  there: string[];
}
/** A service of two steps: it is there when both are done. */
const question = (): Question => ({
  unit: 'trial',
  facts: { there: fact(`cat ${mark}.there 2>/dev/null`, ({ stdout }) => stdout.split('\n').filter(Boolean), [] as string[]) },
  health: { checks: [{ title: 'it is there', command: `grep -qx second ${mark}.there` }], endpoints: [] },
});
const plan = ({ there }: Trial) => ['first', 'second'].filter((title) => !there.includes(title)).map(stepOf);
const removal = ({ there }: Trial): Step[] =>
  there.length > 0 ? [{ title: 'Take it away', run: `rm ${mark}.there`, undo: ':' }] : [];

const versionOf = (found: Answer['found']) => ((found as unknown as Trial).there.length === 2 ? '1.0' : undefined);

/** Operations of a unit's batch, from one answer. */
function read(answer: Answer) {
  const found = answer.found as unknown as Trial;
  const missing = answer.toDo(plan(found));
  return {
    missing: missing.map(({ title }) => title),
    removal: answer.toRemove(removal(found)),
    healthy: answer.why === undefined,
    installed: answer.installed(versionOf, '1.0', missing),
  };
}

beforeAll(() => {
  if (mayMount && !existsSync(HOST_STATE)) mkdirSync(HOST_STATE, { mode: 0o700 });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'host-contract-'));
  mark = join(folder, 'mark');
});
afterEach(() => rmSync(folder, { recursive: true }));

const SUBJECTS = [
  { kind: 'simulated', open: simulated, possible: true },
  // The same scripts as on this machine, whose own folder a test must not change.
  { kind: 'ssh', open: ssh, possible: mayMount },
];

// Each mark of a journal waits for the disk.
describe.each(SUBJECTS)('a host that is reached as $kind', { timeout: 120_000 }, ({ open, possible }) => {
  const job = (generation = 1) => ({ operation: 'op-1', taskserv: 'trial', generation });
  const steps = () => plan({ there: [] });
  let subject: Subject;
  let beats: WorkBeat[];
  /** Calls a verb as an activity does. */
  const within = <T>(work: (host: Host) => Promise<T>): Promise<T> => {
    const environment = activityEnvironment();
    environment.on('heartbeat', (beat) => beats.push(beat as WorkBeat));
    return environment.run(() => work(subject.host)) as Promise<T>;
  };
  const look = async () => read((await within((host) => host.look([question()]))).answers[0] as Answer);
  const verify = async () => {
    const { why, installed } = await within((host) => host.verify(question(), 0));
    return { healthy: why === undefined, installed: installed(versionOf, '1.0', []) };
  };

  beforeEach(async () => {
    beats = [];
    if (possible) subject = await open();
  });
  afterEach(async () => {
    if (possible) await subject.close();
  });

  it.runIf(possible)('has nothing at first, and all that it was given after that', async () => {
    expect(await look()).toEqual({ missing: ['first', 'second'], removal: [], healthy: false, installed: undefined });
    expect(await within((host) => host.run({ ...job(), steps: steps() }))).toEqual({ executed: 2 });
    expect(await look()).toMatchObject({ missing: [], removal: [expect.anything()], healthy: true, installed: '1.0' });
    expect(beats).toContainEqual(expect.objectContaining({ server, taskserv: 'trial', step: 'second', total: 2 }));
  });

  it.runIf(possible)('answers each of several questions, in the order asked', async () => {
    await within((host) => host.run({ ...job(), steps: steps() }));
    const other: Question = { unit: 'other', facts: { other: fact('true', () => 'x', 'x') } };
    const { answers } = await within((host) => host.look([other, question()]));
    expect(answers.map(({ found, why }) => [Object.keys(found), why])).toEqual([
      [['other'], undefined],
      [['there'], undefined],
    ]);
  });

  it.runIf(possible)('does a step once, however often it is asked under one journal', async () => {
    for (let time = 0; time < 3; time++)
      expect(await within((host) => host.run({ ...job(), steps: steps() }))).toEqual({ executed: 2 });
    expect([await subject.effects('first'), await subject.effects('second')]).toEqual([1, 1]);
  });

  it.runIf(possible)('ends before its next step when it is paused, and goes on there', async () => {
    await within((host) => host.pause(job(), 1));
    expect(await within((host) => host.run({ ...job(), steps: steps() }))).toEqual({ executed: 0, paused: true });
    expect(await look()).toMatchObject({ missing: ['first', 'second'] });
    expect(await within((host) => host.run({ ...job(), steps: steps(), pauses: 1 }))).toEqual({ executed: 2 });
    expect(await look()).toMatchObject({ missing: [] });
  });

  it.runIf(possible)('undoes what was done under a journal, and nothing twice', async () => {
    const first = { ...job(1), steps: steps().slice(0, 1) };
    const second = { ...job(2), steps: steps().slice(1) };
    await within((host) => host.run(first));
    await within((host) => host.run(second));
    for (let time = 0; time < 2; time++) expect(await within((host) => host.undo(second))).toEqual({ executed: 1 });
    expect(await look()).toMatchObject({ missing: ['second'] });
    await within((host) => host.undo(first));
    expect(await look()).toMatchObject({ missing: ['first', 'second'], removal: [], healthy: false });
  });

  it.runIf(possible)('leaves the steps that are to stay', async () => {
    const work = { ...job(), steps: steps() };
    await within((host) => host.run(work));
    for (let time = 0; time < 2; time++) expect(await within((host) => host.undo({ ...work, keep: [0] }))).toEqual({ executed: 2 });
    expect(await look()).toMatchObject({ missing: ['second'] });
  });

  it.runIf(possible)('has nothing to undo where nothing was begun', async () => {
    expect(await within((host) => host.undo({ ...job(), steps: steps() }))).toEqual({ executed: 0, nothing: true });
    expect(await look()).toMatchObject({ missing: ['first', 'second'] });
  });

  it.runIf(possible)('cannot undo what was begun where the journal is gone', async () => {
    const gone = { ...job(), steps: steps(), begun: true };
    await expect(within((host) => host.undo(gone))).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot be undone: .+: its journal on the host is gone$/),
      details: { code: 'journal-gone', blame: 'user' },
    });
    await within((host) => host.run(gone));
    expect(await within((host) => host.undo(gone))).toEqual({ executed: 2 });
  });

  it.runIf(possible)('has nothing of what was taken away', async () => {
    await within((host) => host.run({ ...job(1), steps: steps() }));
    const { removal } = await look();
    await within((host) => host.run({ ...job(2), steps: removal }));
    expect(await look()).toMatchObject({ missing: ['first', 'second'], removal: [], healthy: false, installed: undefined });
  });

  it.runIf(possible)('says whether a unit is healthy once the time is over', async () => {
    expect(await verify()).toEqual({ healthy: false, installed: undefined });
    await within((host) => host.run({ ...job(), steps: steps() }));
    expect(await verify()).toEqual({ healthy: true, installed: '1.0' });
  });
});
