import type * as z from 'zod';
import type { batchFile } from '../core/schema/batch.js';
import type { definitionFile } from '../core/schema/definition.js';

/** Content of a definition, with the types of its schema. The configuration of a taskserv is a plain record. */
export type InfraFile = z.input<typeof definitionFile>;

/** Content of a batch. */
export type BatchFile = z.input<typeof batchFile>;

/** Input of a definition that is a function. */
export interface InfraInput {
  /** Environment from `--env` or PROVISIONING_ENV. */
  env?: string;
}

/**
 * Defines an infra in TypeScript: `export default defineInfra({ … })`, or with a function of its environment. Adds only
 * types, and returns its argument.
 */
export function defineInfra<Infra extends InfraFile | ((given: InfraInput) => InfraFile)>(infra: Infra): Infra {
  return infra;
}

/** Defines a batch of operations in TypeScript: `export default defineBatch({ … })`. Adds only types. */
export function defineBatch(batch: BatchFile): BatchFile {
  return batch;
}
