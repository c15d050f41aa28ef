import type { Fault } from '../fault.js';
import { answers } from './answers.js';
import { absences } from './away.js';
import { cancels } from './cancels.js';
import { clients } from './clients.js';
import { contention } from './contention.js';
import { fullDisk } from './full-disk.js';
import { groups } from './groups.js';
import { hostDisk } from './host-disk.js';
import { hosts } from './hosts.js';
import { kills } from './kills.js';
import { mishaps } from './mishaps.js';
import { noWorker } from './no-worker.js';
import { outside } from './outside.js';
import { oversized } from './oversized.js';
import { queues } from './queues.js';
import { rollBacks } from './roll-backs.js';
import { sickHost } from './sick-host.js';
import { storeDown } from './store-down.js';
import { submissions } from './submissions.js';

/** Every fault of the suite, in the order of the table. */
export const faults: Fault[] = [
  ...[...kills, ...absences, ...rollBacks, ...cancels, ...submissions, ...noWorker, ...oversized],
  ...[...outside, ...contention, ...queues, ...clients, ...fullDisk, ...storeDown, ...mishaps],
  ...[...answers, ...hosts, ...hostDisk, ...sickHost, ...groups],
];
