import * as z from 'zod';
import type { JournaledService } from '../../core/recovery/host-record.js';
import type { LostInfra, LostReport } from '../../core/recovery/lost-infras.js';
import type { FoundHost } from '../../core/recovery/recovered-hosts.js';
import type { LeftServer, RecoveredServer, RecoveredThing, RecoveryReport } from '../../core/recovery/recovery-report.js';
import { owned } from './clouds.js';
import { time } from './ids.js';
import { typeSchema } from './typed.js';

const text = z.string();
const unasked = z.array(z.strictObject({ provider: text, why: text }));

const journaledService = typeSchema<JournaledService>()(
  z.strictObject({
    taskserv: text,
    operation: text,
    at: time.describe("Time of the host's clock"),
    outcome: z.enum(['done', 'failed', 'canceled', 'paused', 'undone', 'unended']),
    version: text.optional(),
    config: text.optional().describe('Hash of its configuration'),
    removed: z.literal(true).optional(),
  }),
);
const host = typeSchema<FoundHost>()(
  z.strictObject({
    says: z.enum(['confirmed', 'contradicted', 'ended', 'unproven', 'unmarked', 'not-reached']),
    owner: z.strictObject({ workspace: text, infra: text, uuid: text }).optional(),
    why: text.optional(),
    services: z.array(journaledService).describe('Services from journals on hosts, which are shown but not restored'),
  }),
);
const thing = { name: text, provider: text, state: z.enum(['confirmed', 'missing', 'not-asked']) };
const recoveredThing = typeSchema<RecoveredThing>()(z.strictObject(thing));
const recoveredServer = typeSchema<RecoveredServer>()(
  z.strictObject({ ...thing, by: z.enum(['label', 'mark']).optional(), host: host.optional() }),
);
const leftServer = typeSchema<LeftServer>()(
  z.strictObject({ name: text, provider: text, state: z.enum(['contradicted', 'unconfirmed']), host }),
);
/** Recovered parts of an infra. */
export const recoveryReport = typeSchema<RecoveryReport>()(
  z.strictObject({
    infra: text,
    uuid: text,
    source: z.enum(['feed', 'labels', 'marks']),
    at: time.optional().describe('Time of the last accepted change in the feed'),
    servers: z.array(recoveredServer),
    networks: z.array(recoveredThing),
    left: z.array(leftServer).optional().describe('Servers that are not restored, because their hosts do not confirm them'),
    others: z
      .array(z.strictObject({ ...owned, provider: text }))
      .describe('Resources with labels of the infra that are not restored'),
    unasked,
    recovered: z.literal(true).optional(),
  }),
);

const lostInfra = typeSchema<LostInfra>()(
  z.strictObject({
    infra: text,
    feed: z
      .strictObject({ uuid: text, at: time, servers: z.int(), networks: z.int() })
      .optional()
      .describe('Content of its feed, with the time of the last change'),
    damaged: text.optional().describe('Reason why its feed cannot be read'),
    labelled: z.record(text, z.int()).optional().describe('Number of resources with its labels, by kind'),
    key: z.literal(true).optional().describe('True if the store has the SSH key of its hosts'),
  }),
);
/** Infras of which something is left, and that the engine does not know. */
export const lostReport = typeSchema<LostReport>()(z.strictObject({ infras: z.array(lostInfra), unasked }));
