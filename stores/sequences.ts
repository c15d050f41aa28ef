import { inputError, type ProvisioningError } from '../core/errors.js';

/** The infra that an entity is of. */
export interface SequenceOwner {
  workspace: string;
  infra: string;
}

/**
 * The highest state that each infra's entity ever began. It is stored outside of Temporal, so that access to Temporal
 * is not enough to begin a recorded state of a former run again.
 */
export interface SequenceStore {
  /**
   * Records that a run begins with this state. Returns its sequence once it is stored permanently. A run without a
   * state gets the next sequence. A repeated call of the same run gets the same answer.
   *
   * @throws inputError `state-superseded` if a later state, or this one by another run, was begun before
   */
  begin(owner: SequenceOwner, run: string, sequence?: number): Promise<number>;
}

export const createSupersededError = ({ workspace, infra }: SequenceOwner, sequence: number, highest: number): ProvisioningError =>
  inputError({
    code: 'state-superseded',
    what: 'begin the entity',
    on: `${workspace}/${infra}`,
    why: `its state has number ${sequence}, but number ${highest} has already started`,
    hint: 'it was started with an older state, or a backup was restored: docs/operate/security.md',
  });
