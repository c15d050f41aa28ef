import type * as z from 'zod';
import type { definition, existingHost, output, plan, server, taskserv, volume } from '../schema/loaded-definition.js';

/**
 * A definition after loading: names are expanded, sizes resolved, configurations parsed, and secrets are references.
 * The schema of files is in core/schema/definition.ts. core/schema/loaded-definition.ts describes each of these
 * fields.
 */
export type Definition = z.output<typeof definition>;

/** Cores, memory and disk of a server; `name` is the provider's own. */
export type Plan = z.output<typeof plan>;

export type VolumeSpec = z.output<typeof volume>;

/** A machine that exists already: reached by SSH, or this very machine. Never created, never deleted. */
export type ExistingHost = z.output<typeof existingHost>;

export type ServerSpec = z.output<typeof server>;

export type TaskservSpec = z.output<typeof taskserv>;

/** An output of the deployed infra. */
export type Output = z.output<typeof output>;
