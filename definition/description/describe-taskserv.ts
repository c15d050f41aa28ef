import type { AnyTaskserv, Endpoint, Versions } from '../../core/taskserv/taskserv.js';
import { taskservSchema } from '../json-schema.js';
import { createExample, type ExampleDefinition } from './example.js';
import { describeFields, type FieldDescription } from './fields.js';

/** Description of a taskserv for its users. */
export interface TaskservDescription {
  name: string;
  category: string;
  description: string;
  versions: Versions;
  supports: { os: readonly string[]; arch: readonly string[] };
  /** Taskservs that must be on the same server, that come before it, and that cannot be beside it. */
  requires: readonly string[];
  after: readonly string[];
  conflicts: readonly string[];
  /** Names of endpoints that it looks up on other servers; absent where it sees all, or its configuration decides. */
  uses?: readonly string[];
  /** Endpoints with the default configuration. Absent if some field has no default. */
  endpoints?: readonly Endpoint[];
  fields: readonly FieldDescription[];
  example: ExampleDefinition;
}

/**
 * All of it from the taskserv and from the schema of its configuration.
 *
 * @param together taskservs that it comes after: the example shows it with one of them
 */
export function describeTaskserv(taskserv: AnyTaskserv, together: readonly AnyTaskserv[] = []): TaskservDescription {
  const { name, category, description, versions, supports = {}, requires = [], after = [], conflicts = [] } = taskserv;
  const schema = taskservSchema(taskserv);
  const defaults = taskserv.config.safeParse({});
  const byDefault = <T>(ask: ((config: unknown) => T) | undefined): T | undefined =>
    ask && defaults.success ? ask(defaults.data) : undefined;
  const uses = byDefault(taskserv.uses);
  const endpoints = taskserv.endpoints ? byDefault(taskserv.endpoints) : [];
  return {
    name,
    category,
    description,
    versions,
    supports: { os: supports.os ?? ['debian', 'ubuntu'], arch: supports.arch ?? ['amd64', 'arm64'] },
    requires,
    after,
    conflicts,
    ...(uses ? { uses } : {}),
    ...(endpoints ? { endpoints } : {}),
    fields: describeFields(schema),
    example: createExample(taskserv, schema, together),
  };
}
