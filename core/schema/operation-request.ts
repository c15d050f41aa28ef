import * as z from 'zod';
import type { Grant } from '../infra/lock.js';
import type { EarlyLook } from '../operation/machine-plan.js';
import { definition } from './loaded-definition.js';
import { planned } from './planned.js';
import {
  account,
  actor,
  approve,
  count,
  environment,
  id,
  kind,
  ms,
  name,
  onFailure,
  onTimeout,
  operationId,
  priority,
  recordedPrincipal,
  settings,
  text,
  timing,
  update,
  word,
} from './request-fields.js';

export const verb = z.enum(['ensure', 'delete', 'start', 'stop', 'restart']);

/**
 * Goal of an operation. `ensure` brings the named resources (all, without names) to their definition; `delete` removes
 * them. An `apply` of kind `cluster` with `prune` also removes resources that the definition no longer has. `start`,
 * `stop` and `restart` switch machines, by kind `server` and by name. `switch-over`, by kind `taskserv`, gives the lead of a
 * group to another member.
 */
export const intent = z.strictObject({
  verb: z.enum([...verb.options, 'switch-over', 'rollback']),
  prune: z.boolean().optional(),
  servers: z.array(name).optional(),
  taskservs: z.array(word).optional(),
  /** For `switch-over`: the group, if a taskserv has several; and the server of the next leader. Absent: any that is ready. */
  group: word.optional(),
  to: name.optional(),
  /** For `rollback`: the operation that is rolled back. Its own result lists the work to undo. */
  of: id.optional(),
  /** For `rollback`: also what the operation only repaired. */
  repairs: z.literal(true).optional(),
});

export const operation = z.strictObject({
  /** Never used twice: `<kind>-<verb>-<infra>-<random>`. Also the workflow's id. */
  id: operationId,
  kind,
  workspace: name,
  infra: name,
  intent,
  /** The definition to apply; without it the infra's last applied one. */
  definition: definition.optional(),
  /** The bundle that the definition was resolved from, by its content address. */
  bundle: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** The environment that the definition was read for, unless the bundle names it: a freeze of the environment holds its infra. */
  environment: environment.optional(),
  /** Stop after deciding. */
  check: z.boolean().optional(),
  /** With `check`: what changes in files, line by line. */
  diff: z.literal(true).optional(),
  onFailure: onFailure.optional(),
  onTimeout: onTimeout.optional(),
  /** Deletions and replacements of servers and volumes that may happen: all, or those that a preview named. */
  allowDestroy: z.union([z.boolean(), z.array(text)]).optional(),
  /** Points at which it waits for an approval, beside those of the definition. */
  approve: approve.optional(),
  /** The plan that was shown or saved: it is carried out as it is, or refused where something else would be done by now. */
  planned: planned.optional(),
  /** From 1, the most urgent, to 5. Default 3. */
  priority: priority.optional(),
  /**
   * Its batch, its index there, the time of the batch's submission, the grant that the batch got for it, the batch's
   * look at its machines, and how long its changes may wait for those of others, in milliseconds.
   */
  batch: z
    .strictObject({
      id,
      index: count,
      submitted: word.optional(),
      // As the entity and the provider said it, by way of the worker.
      grant: z.custom<Grant>().optional(),
      seen: z.custom<EarlyLook>().optional(),
      lingerMs: ms.optional(),
    })
    .optional(),
  /** How changes reach servers that serve already, over what the definition says. */
  update: update.optional(),
  /** The settings that counted when it was asked for, by key, each with the layer that said it. Nothing reads them but people. */
  settings: settings.optional(),
  /** Actor of the request. */
  actor,
  /** The service account that asked: authority is decided again for it after a wait. Absent: the owner, or a member of the group. */
  principal: recordedPrincipal.optional(),
  /** Milliseconds; tests shorten them. */
  timing: timing.optional(),
});

/** First pause before a request for the infra's lock is repeated, in milliseconds; tests shorten it. Default 30,000. */
export const askAgainMs = ms.optional();

/** A request to compare an infra with what its providers have. */
export const refresh = z.strictObject({
  workspace: name,
  infra: name,
  actor,
  /** Bring the inventory up to date with what is gone. */
  record: z.boolean().optional(),
  /** Look at the hosts, too; absent in requests of former releases. */
  hosts: z
    .strictObject({
      /** Only these; absent: all. */
      servers: z.array(name).optional(),
      /** Only these, on whichever server; absent: all, and the hosts themselves. */
      taskservs: z.array(word).optional(),
      /** Milliseconds that each host may take to answer. */
      withinMs: z.int().min(1).max(600_000),
      /** Also ask each host for newer packages of its archive. */
      archive: z.literal(true).optional(),
    })
    .optional(),
  /** Whether to ask the providers, and the milliseconds that each may take; absent: for as long as it takes. */
  clouds: z.union([z.literal(false), z.strictObject({ withinMs: z.int().min(1).max(600_000) })]).optional(),
  askAgainMs,
});

/** A request to take a server that was made elsewhere into an infra. */
export const importServer = z.strictObject({
  workspace: name,
  infra: name,
  actor,
  /** With its account, as definitions name it. */
  provider: account,
  /** The provider's id of the server, or its name there. */
  server: word,
  /** Name in the infra. */
  name,
  /** Only find it, and say what would be done. */
  check: z.boolean().optional(),
  askAgainMs,
});
