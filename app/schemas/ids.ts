import * as z from 'zod';
import { NAME, NAME_RULE } from '../../core/names.js';
import { name } from '../../core/schema/request-fields.js';

/**
 * A text that may become the name of a file or a workflow, or a part of a query. It cannot name another folder, has no
 * control characters, and is not longer than a file system accepts. It does not prove that something has this name.
 */
const nameable = z.string().regex(/^(?!\.)[ -.0-[\]-~]{1,200}$/, 'it has at most 200 letters, digits and signs, and no slash');

/** The id of an operation, which is also its workflow's. */
export const operationId = nameable.describe('The id of the operation');
export const batchId = nameable.describe('The id of the batch');
export const workspace = name.describe('The name of the workspace');
/** As a definition may call an environment: its files have this name. */
export const environment = z.string().regex(NAME, NAME_RULE);
/** An infra within its workspace. */
export const infra = { workspace, infra: name.describe('The name of the infra') };
/** A server within its infra. */
export const server = name.describe('The name of the server');
export const why = z.string().max(100_000).optional().describe('The reason, for the record');
export const time = z.string().describe('ISO 8601');
