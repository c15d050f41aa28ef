import * as z from 'zod';
import type { JournaledService } from '../../core/recovery/host-record.js';
import type { LostInfra, LostReport } from '../../core/recovery/lost-infras.js';
import type { HostFound } from '../../core/recovery/recovered-hosts.js';
import type { LeftServer, RecoveredServer, RecoveredThing, RecoveryReport } from '../../core/recovery/recovery-report.js';
import { owned } from './clouds.js';
import { time } from './ids.js';
import { typed } from './typed.js';

const text = z.string();
const unasked = z.array(z.strictObject({ provider: text, why: text }));

const journaledService = typed<JournaledService>()(
  z.strictObject({
    taskserv: text,
    operation: text,
    at: time.describe("By the host's clock"),
    outcome: z.enum(['done', 'failed', 'canceled', 'paused', 'undone', 'unended']),
    version: text.optional(),
    config: text.optional().describe('What tells its configuration from others'),
    removed: z.literal(true).optional(),
  }),
);
const host = typed<HostFound>()(
  z.strictObject({
    says: z.enum(['confirmed', 'contradicted', 'ended', 'unproven', 'unmarked', 'not-reached']),
    owner: z.strictObject({ workspace: text, infra: text, uuid: text }).optional(),
    why: text.optional(),
    services: z.array(journaledService).describe('What its journals say: told, and not brought back'),
  }),
);
const thing = { name: text, provider: text, state: z.enum(['confirmed', 'missing', 'not-asked']) };
const recoveredThing = typed<RecoveredThing>()(z.strictObject(thing));
const recoveredServer = typed<RecoveredServer>()(
  z.strictObject({ ...thing, by: z.enum(['label', 'mark']).optional(), host: host.optional() }),
);
const leftServer = typed<LeftServer>()(
  z.strictObject({ name: text, provider: text, state: z.enum(['contradicted', 'unconfirmed']), host }),
);
/** What is brought back of an infra. */
export const recoveryReport = typed<RecoveryReport>()(
  z.strictObject({
    infra: text,
    uuid: text,
    source: z.enum(['feed', 'labels', 'marks']),
    at: time.optional().describe('When the last change in the feed was accepted'),
    servers: z.array(recoveredServer),
    networks: z.array(recoveredThing),
    left: z.array(leftServer).optional().describe('Servers that are not brought back: their hosts do not confirm it'),
    others: z.array(z.strictObject({ ...owned, provider: text })).describe('Bears labels of the infra, and is not brought back'),
    unasked,
    recovered: z.literal(true).optional(),
  }),
);

const lostInfra = typed<LostInfra>()(
  z.strictObject({
    infra: text,
    feed: z
      .strictObject({ uuid: text, at: time, servers: z.int(), networks: z.int() })
      .optional()
      .describe('What its feed has, and when that was changed last'),
    damaged: text.optional().describe('Why its feed cannot be read'),
    labelled: z.record(text, z.int()).optional().describe('How many things of each kind bear its labels'),
    key: z.literal(true).optional().describe('The store has the key of its hosts'),
  }),
);
/** Infras of which something is left, and that the engine does not know. */
export const lostReport = typed<LostReport>()(z.strictObject({ infras: z.array(lostInfra), unasked }));
