import { findClusterFile } from '../../../authoring/clusters/cluster-file.js';
import { refuseIneffective } from '../../../authoring/clusters/refuse-ineffective.js';
import { prepareScale } from '../../../authoring/clusters/scale-cluster.js';
import { type InputFlags, inputOf, readDefinition, sourceFrom } from '../../../authoring/definition/definitions.js';
import { refuseUnsold } from '../../../authoring/definition/refuse-unsold.js';
import { resolveExternalValues } from '../../../authoring/given/with-given.js';
import { createLockEdit } from '../../../authoring/lock-file/lock-edit.js';
import { readAbout } from '../../../authoring/request/which-infra.js';
import { inputError } from '../../../core/errors.js';
import type { FlagsOf, OPERATION, UPDATE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { operate } from '../operate.js';

type Flags = FlagsOf<typeof OPERATION> &
  FlagsOf<typeof UPDATE> &
  InputFlags & { file?: string; set?: readonly string[]; size?: string };

/**
 * Changes values of a cluster in its definition file, and applies the file in the environment in which it is applied.
 * Servers that it no longer names are deleted.
 *
 * @returns the exit code
 * @throws DefinitionError with every wrong value; inputError `definition-file-needed`, `other-environment`,
 * `value-not-written`
 */
export async function scaleCluster(session: Session, infra: string, groups: readonly string[], flags: Flags): Promise<number> {
  const set = [...(flags.size === undefined ? [] : [`size=${flags.size}`]), ...(flags.set ?? [])];
  if (set.length + groups.length === 0)
    throw inputError({
      code: 'bad-arguments',
      what: 'read the command line',
      why: 'no value is given',
      hint: `provisioning cluster scale ${infra} GROUP=NUMBER, or --set NAME=VALUE`,
    });
  const { file, environment } = await findClusterFile(session, infra, session.cwd, flags);
  const inputs = { ...flags, ...(environment !== undefined && { env: environment }) };
  if (flags.file !== undefined) await readAbout(session, file, { ...inputs, infra });
  const { edit, wanted } = await prepareScale(file, { set, groups });
  const { environment: chosen } = inputOf(session, inputs);
  const isOverlaid = chosen !== undefined || (flags.var ?? []).length + (flags.varFile ?? []).length > 0;
  // Questions for values are asked once, with the new text.
  const silent: Session = Object.create(session, { ask: { value: undefined } });
  const before = edit && isOverlaid ? (await readDefinition(silent, file, inputs)).definition : undefined;
  // The new text is checked as a whole: a value that the rest of the definition does not allow is refused here.
  const read = await sourceFrom(session, file, { ...inputs, ...(edit && { text: edit.after }) });
  refuseIneffective(read, file, wanted, chosen, before);
  if (!edit && !session.json) session.out.write(`${file} has these values already\n`);
  await refuseUnsold(session, read);
  const definition = await resolveExternalValues(session, read);
  const lock = createLockEdit(read.lock, file);
  const edits = [...(edit ? [edit] : []), ...(lock ? [lock] : [])];
  // Settings of the environment apply as well.
  const own: Session = environment === undefined ? session : Object.create(session, { environment: { value: environment } });
  return operate(own, inputs, {
    kind: 'cluster',
    infra,
    intent: { verb: 'ensure', prune: true },
    definition,
    file,
    ...(edits.length > 0 && { edits }),
  });
}
