import { inputError, type ProvisioningError } from '../core/errors.js';

/** The infra that an entity is of. */
export interface SequenceOwner {
  workspace: string;
  infra: string;
}

/**
 * The highest state of each infra's entity that was ever begun, kept where nobody
 * who reaches Temporal can write: what was recorded of former runs cannot be begun again.
 */
export interface SequenceStore {
  /**
   * Takes note that a run begins with this state. Answers its sequence once that is
   * kept for good; of a run that begins without a state, the next one. Asked again by
   * the same run it answers the same.
   *
   * @throws inputError `state-superseded` where a later state, or this one by another run, was begun before
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
