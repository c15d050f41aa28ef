/**
 * Version of the workflows' behaviour, with which each run begins. It is one higher than that of the former release if
 * anything in it has changed (docs/contribute/changing-a-workflow.md). Runs without a version have version 1.
 */
export const WORKFLOWS_VERSION: number = 2;

/** The oldest version whose histories the workflows of this build replay; `test/histories/former` holds it to that. */
export const WORKFLOWS_SINCE: number = 1;

/** Memo with a run's version. A wire name. */
export const VERSION_MEMO = 'ProvisioningWorkflowsVersion';

type Memo = Readonly<Record<string, unknown>>;

/** Memo with which each run of this build begins. */
export const versionMemo: Memo = { [VERSION_MEMO]: WORKFLOWS_VERSION };

/** Returns the version with which a run began; 1 without a valid version. */
export function readWorkflowsVersion(memo: Memo | undefined): number {
  const version = memo?.[VERSION_MEMO];
  return typeof version === 'number' && Number.isSafeInteger(version) ? version : 1;
}

/** Whether the workflows of this build continue a run of that version. */
export const isContinued = (version: number): boolean => version >= WORKFLOWS_SINCE && version <= WORKFLOWS_VERSION;
