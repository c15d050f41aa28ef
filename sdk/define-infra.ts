import type * as z from 'zod';
import type { batchFile } from '../core/schema/batch.js';
import type { definitionFile } from '../core/schema/definition.js';

/** What a definition says, with the types of its schema; the configuration of a taskserv is a plain record. */
export type InfraFile = z.input<typeof definitionFile>;

/** What a batch says. */
export type BatchFile = z.input<typeof batchFile>;

/** What a definition is told that is a function. */
export interface InfraInput {
  /** The environment of `--env` or PROVISIONING_ENV. */
  env?: string;
}

/**
 * The definition of an infra in TypeScript, `export default defineInfra({ … })`, or as a function of its environment.
 * Gives the types, and returns what it got.
 */
export function defineInfra<Infra extends InfraFile | ((given: InfraInput) => InfraFile)>(infra: Infra): Infra {
  return infra;
}

/** A batch of operations in TypeScript, `export default defineBatch({ … })`. Gives the types, and returns what it got. */
export function defineBatch(batch: BatchFile): BatchFile {
  return batch;
}
