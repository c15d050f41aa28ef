import * as z from 'zod';
import { actor, count, name, text, word } from './request-fields.js';

/** A script that a test environment is tried by. */
export const testScript = z.strictObject({
  /** Name of its result. */
  name: word,
  /** The servers that it runs on; absent: all. */
  on: z.array(name).min(1).optional(),
  text: z.string().max(65_536),
});

/** The process that made a test environment, and ends it when it is done. */
export const testOwner = z.strictObject({
  /** The machine that it runs on. */
  host: word,
  pid: z.int().min(1),
  /** When it started, in the operating system's own words; compared, never parsed. */
  started: word,
});

/** A request to keep the time of a test environment, and to remove it when that is over. */
export const testEnvironment = z.strictObject({
  /** The one of test environments (`testWorkspaceOf`). */
  workspace: name,
  /** Its infra, which has the same name. */
  infra: name,
  actor,
  /** Subject: one taskserv, one server of a definition, or a topology. */
  type: z.enum(['single', 'server', 'cluster']),
  /** The name of that taskserv, server or topology. */
  about: word,
  /** Milliseconds until it is removed, whoever lives then. */
  ttlMs: count,
  /** Absent where it outlives the command that made it. */
  owner: testOwner.optional(),
  /** Scripts that `test env run` repeats. */
  scripts: z.array(testScript).max(50).optional(),
  /** Reason to remove it at once: the time of its remainder is not stored. */
  ending: text.optional(),
  /** When the first run began (ISO time), and how often former runs tried to remove it. */
  former: z.strictObject({ created: word, tries: count }).optional(),
  /** Events of history after which a removal that fails goes on in a new run. Default 4,000. */
  continueAfter: z.int().min(1).optional(),
});
