import { findDefinitionFile } from '../../../authoring/clusters/find-definition.js';
import { prepareScale } from '../../../authoring/clusters/scale-cluster.js';
import { type InputFlags, sourceFrom } from '../../../authoring/definition/definitions.js';
import { refuseUnsold } from '../../../authoring/definition/refuse-unsold.js';
import { resolveExternalValues } from '../../../authoring/given/with-given.js';
import { createLockEdit } from '../../../authoring/lock-file/lock-edit.js';
import { readAbout } from '../../../authoring/request/which-infra.js';
import { findAppliedFile } from '../../../authoring/versions/applied-file.js';
import { inputError } from '../../../core/errors.js';
import type { FlagsOf, OPERATION, UPDATE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { operate } from '../operate.js';

type Flags = FlagsOf<typeof OPERATION> &
  FlagsOf<typeof UPDATE> &
  InputFlags & { file?: string; set?: readonly string[]; size?: string };

/**
 * Changes values of a cluster in its definition file, and applies the file. Servers that it no longer names are deleted.
 *
 * @returns the exit code
 * @throws DefinitionError with every wrong value; inputError `definition-file-needed`, `value-not-written`
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
  const file = flags.file ?? (await fileOf(session, infra, flags));
  if (flags.file !== undefined) await readAbout(session, file, { ...flags, infra });
  const edit = await prepareScale(file, { set, groups });
  // The new text is checked as a whole: a value that the rest of the definition does not allow is refused here.
  const read = await sourceFrom(session, file, { ...flags, ...(edit && { text: edit.after }) });
  if (!edit && !session.json) session.out.write(`${file} has these values already\n`);
  await refuseUnsold(session, read);
  const definition = await resolveExternalValues(session, read);
  const lock = createLockEdit(read.lock, file);
  const edits = [...(edit ? [edit] : []), ...(lock ? [lock] : [])];
  return operate(session, flags, {
    kind: 'cluster',
    infra,
    intent: { verb: 'ensure', prune: true },
    definition,
    file,
    ...(edits.length > 0 && { edits }),
  });
}

/** Returns the definition file of an infra: in the folder for definitions, otherwise the last applied one. */
async function fileOf(session: Session, infra: string, flags: InputFlags): Promise<string> {
  const file =
    (await findDefinitionFile(infra, session.folder ?? session.cwd)) ??
    (await findAppliedFile(session, infra, session.cwd, flags))?.file;
  if (file !== undefined) return file;
  throw inputError({
    code: 'definition-file-needed',
    what: 'scale the cluster',
    on: infra,
    why: 'its definition file is not known here, and the next apply of the file would undo the change',
    hint: 'set the file with --file FILE',
  });
}
