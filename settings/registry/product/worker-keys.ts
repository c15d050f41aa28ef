import { DEFAULT_IDENTITIES } from '../../../home/identities.js';
import type { Key } from '../registry.js';

/** How this machine's engine, worker and store work. A worker that runs takes them over at its next start. */
export const WORKER_KEYS: readonly Key[] = [
  {
    name: 'engine.retention',
    type: { kind: 'number', min: 1, max: 3_650 },
    description: "How long the home's own engine keeps what has ended.",
    unit: 'days',
    default: 30,
    scope: 'engine',
  },
  {
    name: 'store.connections',
    type: { kind: 'number', min: 1, max: 100 },
    description: "How many connections a process opens to a team's store.",
    unit: 'connections',
    default: 8,
    scope: 'engine',
  },
  {
    name: 'worker.concurrency',
    type: { kind: 'number', min: 1, max: 1_000 },
    description: 'How many activities the worker does at once.',
    unit: 'activities',
    default: 200,
    scope: 'engine',
  },
  {
    name: 'worker.logLevel',
    type: { kind: 'choice', choices: ['error', 'warn', 'info', 'debug'] },
    description: 'From which level on the worker writes into its log.',
    default: 'warn',
    scope: 'engine',
  },
  {
    name: 'worker.logSize',
    type: { kind: 'number', min: 1, max: 10_240 },
    description: 'From which size on a log of engine or worker is put aside at the next start; one former log is kept.',
    unit: 'MiB',
    default: 20,
    scope: 'engine',
  },
  {
    name: 'worker.grace',
    type: { kind: 'number', min: 1, max: 25 },
    description: 'How long a worker that is told to end waits for what it is doing; the next worker takes up the rest.',
    unit: 'seconds',
    default: 10,
    scope: 'engine',
  },
  {
    name: 'worker.identities',
    type: { kind: 'text' },
    description:
      'Private keys that definitions may name by `identity`: paths, comma-separated; `FOLDER/*` stands for all files right in a folder.',
    default: DEFAULT_IDENTITIES,
    scope: 'engine',
  },
  {
    name: 'timeouts.start',
    type: { kind: 'number', min: 1, max: 3_600 },
    description: 'How long engine and worker may take to start.',
    unit: 'seconds',
    default: 60,
    scope: 'engine',
  },
  {
    name: 'timeouts.login',
    type: { kind: 'number', min: 1, max: 600 },
    description: 'How long a host may take from the first packet until SSH has let us in.',
    unit: 'seconds',
    default: 10,
    scope: 'engine',
  },
  {
    name: 'timeouts.firstAnswer',
    type: { kind: 'number', min: 1, max: 540 },
    description: 'How long a new machine may take until its SSH server answers.',
    unit: 'seconds',
    default: 180,
    scope: 'engine',
  },
  {
    name: 'timeouts.firstBoot',
    type: { kind: 'number', min: 1, max: 540 },
    description: 'How long the first boot of a new machine may take once it lets us in.',
    unit: 'seconds',
    default: 480,
    scope: 'engine',
  },
];
