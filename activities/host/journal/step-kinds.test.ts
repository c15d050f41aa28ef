import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Step } from '../../../core/host/step.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import { executeSteps, undoSteps } from './execute.js';
import { openSealedFiles } from './sealed-journal.js';

/** Action of a step, without its title. */
type Action<S = Step> = S extends Step ? Omit<S, 'title'> : never;

/** A step, and the content of a place before and after it. After an undo, the content is as before. */
interface Trial {
  title: string;
  /** Makes what is there before; without it, nothing is. */
  before?: (place: string) => void;
  step: (place: string) => Action;
  after: string[];
}

const write = (name: string, text: string, mode: number) => (place: string) => {
  writeFileSync(join(place, name), text);
  chmodSync(join(place, name), mode);
};

/** A directory with a mode and an owner that no step would give it. */
const folderOf = (name: string, mode: number) => (place: string) => {
  mkdirSync(join(place, name));
  chownSync(join(place, name), 7, 8);
  chmodSync(join(place, name), mode);
};

const file = (place: string) => ({ file: { path: join(place, 'conf'), content: 'new', mode: '0640' } });
const absent = (place: string) => ({ absent: { path: join(place, 'conf') } });

const TRIALS: Trial[] = [
  { title: 'write a file', step: file, after: ['conf 640 new'] },
  { title: 'write a file over another', before: write('conf', 'old', 0o600), step: file, after: ['conf 640 new'] },
  {
    title: 'write a file over a link',
    before: (place) => symlinkSync('/nowhere', join(place, 'conf')),
    step: file,
    after: ['conf 640 new'],
  },
  { title: 'remove a file', before: write('conf', 'old', 0o600), step: absent, after: [] },
  { title: 'remove what is not there', step: absent, after: [] },
  {
    title: 'make a directory',
    step: (place) => ({ directory: { path: join(place, 'data'), mode: '0750' } }),
    after: ['data/ 750'],
  },
  {
    title: 'make a directory that is there: what the step does not say stays',
    before: folderOf('data', 0o2710),
    step: (place) => ({ directory: { path: join(place, 'data') } }),
    after: ['data/ 2710 7:8'],
  },
  {
    title: 'make a directory that is to stay as it is',
    before: folderOf('data', 0o2710),
    step: (place) => ({ directory: { path: join(place, 'data'), mode: '0750', owner: 'root:root', keep: true } }),
    after: ['data/ 2710 7:8'],
  },
  {
    title: 'make a directory over another',
    before: (place) => mkdirSync(join(place, 'data'), { mode: 0o711 }),
    step: (place) => ({ directory: { path: join(place, 'data'), mode: '0750' } }),
    after: ['data/ 750'],
  },
  {
    title: 'run a script',
    before: write('count', '1', 0o644),
    step: (place) => ({ run: `printf 2 >${place}/count`, undo: `printf 1 >${place}/count` }),
    after: ['count 644 2'],
  },
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'step-kinds-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const placeOf = ({ title }: Trial) => join(folder, title.replaceAll(' ', '-'));

/** Content of each place, a line for each entry: the target of a link, the mode and text of a file. */
const shown = () => Object.fromEntries(TRIALS.map((trial) => [trial.title, entriesOf(placeOf(trial))]));

const entriesOf = (place: string): string[] =>
  readdirSync(place)
    .sort()
    .map((name) => {
      const path = join(place, name);
      const found = lstatSync(path);
      if (found.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      const mode = (found.mode & 0o7777).toString(8);
      const owner = found.uid + found.gid === 0 ? '' : ` ${found.uid}:${found.gid}`;
      return found.isDirectory() ? `${name}/ ${mode}${owner}` : `${name} ${mode} ${readFileSync(path, 'utf8')}`;
    });

// Steps that install packages and start services need an init: test/end-to-end has them.
it.runIf(mayMount)('a step of each kind keeps what was there before its first try, and brings it back', async () => {
  const { state, host } = journalHost(folder);
  const sealer = { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed };
  const scope = { workspace: 'w', infra: 'shop', uuid: 'u' };
  const job = { scope, server: 'db-1', operation: 'op-1', taskserv: 'x', generation: 1, sealer };
  for (const trial of TRIALS) {
    mkdirSync(placeOf(trial));
    trial.before?.(placeOf(trial));
  }
  const steps = TRIALS.map((trial) => ({ title: trial.title, ...trial.step(placeOf(trial)) }) as Step);
  const act = () => executeSteps(host, { ...job, owner: 'u w shop', steps, reveal: String }, () => {});
  const before = shown();
  const after = Object.fromEntries(TRIALS.map(({ title, after }) => [title, after]));

  expect(await act()).toEqual({ how: 'ok' });
  expect(shown()).toEqual(after);
  // As a host has it that lost its power before any end was noted: all is tried again.
  const journal = join(state, 'operations/op-1/x/1');
  rmSync(join(journal, 'end'));
  writeFileSync(join(journal, 'steps'), readFileSync(join(journal, 'steps'), 'utf8').replaceAll(/^done .*\n/gm, ''));
  expect(await act()).toEqual({ how: 'ok' });
  expect(shown()).toEqual(after);

  const opened = await openSealedFiles(host, job, sealer);
  expect(await undoSteps(host, { ...job, steps, opened }, () => {})).toEqual({ how: 'ok' });
  expect(shown()).toEqual(before);
});
