/**
 * The version of what workflows do, in order, which each run is begun with: one
 * higher than that of the former release where anything in it has changed
 * (docs/contribute/changing-a-workflow.md). Runs that carry none are of version 1.
 */
export const WORKFLOWS_VERSION: number = 2;

/** The oldest version whose histories the workflows of this build replay; `test/histories/former` holds it to that. */
export const WORKFLOWS_SINCE: number = 1;

/** Where a run's version stands among its memos. A wire name. */
export const VERSION_MEMO = 'ProvisioningWorkflowsVersion';

type Memo = Readonly<Record<string, unknown>>;

/** What each run of this build is begun with. */
export const versionMemo: Memo = { [VERSION_MEMO]: WORKFLOWS_VERSION };

/** The version that a run was begun with; 1 where it carries none, or what is none. */
export function readWorkflowsVersion(memo: Memo | undefined): number {
  const version = memo?.[VERSION_MEMO];
  return typeof version === 'number' && Number.isSafeInteger(version) ? version : 1;
}

/** Whether the workflows of this build continue a run of that version. */
export const isContinued = (version: number): boolean => version >= WORKFLOWS_SINCE && version <= WORKFLOWS_VERSION;
