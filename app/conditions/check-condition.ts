import { createHash } from 'node:crypto';
import { inputError } from '../../core/errors.js';
import type { Editable, Passage } from '../method.js';
import { openRows } from '../open-rows.js';
import { holdResource } from './hold-resource.js';

/** Any version: the resource must be there. */
const ANY_VERSION = '*';

/**
 * Reports the version of a resource to the caller of a read. A change runs only if the resource has one of the
 * versions that the caller expects. All changes of a resource wait for each other, even those without an expectation,
 * so that none runs between the comparison and the change.
 *
 * @throws inputError `precondition-failed`, `bad-request` for a method that cannot compare; unreachableError
 * `resource-busy`
 */
export async function checkCondition(passage: Passage): Promise<void> {
  const { caller, method, input, expected, onVersion } = passage;
  const { reads, edits } = method;
  if (expected && !edits) throw unchecked(method.name);
  if (reads && onVersion) {
    // Before the answer: if it changes in between, the caller has the older version, and its change is refused.
    const version = await tagVersion(reads, passage);
    if (version !== undefined) onVersion(version);
  }
  // Without rows there is no other instance, and no door that sends a condition.
  if (!edits || (!expected && !caller.engine.stores.rows)) return;
  const resource = edits.resource(input);
  passage.letGo = await holdResource(await openRows(caller.engine.stores, `call ${method.name}`), resource);
  if (!expected) return;
  const version = await tagVersion(edits, passage);
  if (version !== undefined && (expected.includes(ANY_VERSION) || expected.includes(version))) return;
  const why = version === undefined ? 'it is not there' : 'it has another version than the one expected';
  const hint = 'read it again, and send the ETag of that answer';
  throw inputError({ code: 'precondition-failed', what: `call ${method.name}`, on: resource, why, hint });
}

/** Returns the version for callers: a hash, which discloses nothing about the resource. */
async function tagVersion(editable: Editable, { caller, input }: Passage): Promise<string | undefined> {
  const version = await editable.version(caller, input);
  if (version === undefined) return undefined;
  return createHash('sha256')
    .update(`${editable.resource(input)}\0${version}`)
    .digest('base64url')
    .slice(0, 22);
}

const unchecked = (on: string) =>
  inputError({
    code: 'bad-request',
    what: 'answer the request',
    on,
    why: 'the method cannot check If-Match or If-Unmodified-Since',
    hint: 'omit the header',
  });
