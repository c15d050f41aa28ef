import { DEFAULT_IDENTITIES } from '../../../home/identities.js';
import type { Key } from '../registry.js';

/** Settings of this machine's engine, worker and store. Changes apply at the next start of the worker. */
export const WORKER_KEYS: readonly Key[] = [
  {
    name: 'audit.heads',
    type: { kind: 'text', form: { pattern: '^/', words: 'a path such as /mnt/other/audit' } },
    description:
      'Folder for the ends of audit chains. On another disk or machine, it also shows that the database was replaced by an older one.',
    otherwise: 'the folder `audit` of the home',
    scope: 'engine',
  },
  {
    name: 'engine.retention',
    type: { kind: 'number', min: 1, max: 3_650 },
    description: "Retention of ended workflows in the home's own engine.",
    unit: 'days',
    default: 30,
    scope: 'engine',
  },
  {
    name: 'lists.operations',
    type: { kind: 'number', min: 1, max: 36_500 },
    description: 'Time that ended operations stay in the lists of the store.',
    unit: 'days',
    default: 1_095,
    scope: 'engine',
  },
  {
    name: 'lists.previews',
    type: { kind: 'number', min: 1, max: 36_500 },
    description: 'Time that previews stay in the lists of the store.',
    unit: 'days',
    default: 30,
    scope: 'engine',
  },
  {
    name: 'store.connections',
    type: { kind: 'number', min: 1, max: 100 },
    description: "Number of connections per process to a team's store.",
    unit: 'connections',
    default: 8,
    scope: 'engine',
  },
  {
    name: 'worker.concurrency',
    type: { kind: 'number', min: 1, max: 1_000 },
    description: 'Number of activities that the worker runs in parallel.',
    unit: 'activities',
    default: 200,
    scope: 'engine',
  },
  {
    name: 'worker.logLevel',
    type: { kind: 'choice', choices: ['error', 'warn', 'info', 'debug'] },
    description: 'Log level of the worker.',
    default: 'warn',
    scope: 'engine',
  },
  {
    name: 'worker.logSize',
    type: { kind: 'number', min: 1, max: 10_240 },
    description: 'Size at which a log of engine or worker is rotated at the next start; one former log is kept.',
    unit: 'MiB',
    default: 20,
    scope: 'engine',
  },
  {
    name: 'worker.grace',
    type: { kind: 'number', min: 1, max: 25 },
    description: 'Time that a stopping worker waits for its activities; the next worker continues the rest.',
    unit: 'seconds',
    default: 10,
    scope: 'engine',
  },
  {
    name: 'worker.socket',
    type: { kind: 'text', form: { pattern: '^/', words: 'a path such as /run/provisioning/worker.sock' } },
    description:
      'Second socket of the worker. The group that its folder belongs to may open it, and gets almost all rights of the owner.',
    otherwise: 'only the owner of the home reaches the worker',
    scope: 'engine',
  },
  {
    name: 'worker.identities',
    type: { kind: 'text' },
    description:
      'Private keys that definitions may use as `identity`: paths, comma-separated; `FOLDER/*` allows all files directly in a folder.',
    default: DEFAULT_IDENTITIES,
    scope: 'engine',
  },
  {
    name: 'worker.privateAddresses',
    type: {
      kind: 'text',
      form: { pattern: '^[A-Za-z0-9.:/*_-]+( *, *[A-Za-z0-9.:/*_-]+)*$', words: 'a list such as mirror.example.org, 10.0.0.0/8' },
    },
    description:
      'Private hosts, addresses and networks from which the worker may fetch artifacts, comma-separated. `*.DOMAIN` allows all names within.',
    otherwise: 'only the owner of a home without service accounts has artifacts fetched from private addresses',
    scope: 'engine',
  },
  {
    name: 'timeouts.start',
    type: { kind: 'number', min: 1, max: 3_600 },
    description: 'Time limit for the start of engine and worker.',
    unit: 'seconds',
    default: 60,
    scope: 'engine',
  },
  {
    name: 'timeouts.login',
    type: { kind: 'number', min: 1, max: 600 },
    description: 'Time limit from the first packet to a host until the SSH login.',
    unit: 'seconds',
    default: 10,
    scope: 'engine',
  },
  {
    name: 'timeouts.firstAnswer',
    type: { kind: 'number', min: 1, max: 540 },
    description: 'Time limit for the SSH server of a new machine to answer.',
    unit: 'seconds',
    default: 180,
    scope: 'engine',
  },
  {
    name: 'timeouts.firstBoot',
    type: { kind: 'number', min: 1, max: 540 },
    description: 'Time limit for the first boot of a new machine after the first login.',
    unit: 'seconds',
    default: 480,
    scope: 'engine',
  },
];
